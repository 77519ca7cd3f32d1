import { drive } from '../../first-layer/work/drive.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import type { FeatureApp, Service } from '../../service/feature.js'
import { askedTokenizer } from '../../service/request/asked-tokenizer.js'
import { JSON_ONLY, JSON_UTF8 } from '../../service/request/checks/head-checks.js'
import { textOfIds } from '../../service/request/documents/text-of-ids.js'
import { detokenizeRequest } from './schemas.js'

/** `POST /v1/detokenize`. */
export function addDetokenizeRoute(app: FeatureApp, { models, config: limits }: Service): void {
  const options = { schema: { operationId: 'detokenize', body: detokenizeRequest }, config: JSON_ONLY }
  app.post('/v1/detokenize', options, async (request, reply) => {
    const { input_ids: ids, ...body } = request.body
    const tokenizer = await askedTokenizer(request, models, body)
    request.figures = { numTokens: ids.length }
    const limit = limits.MAX_JSON_RESPONSE_BYTES
    const answer = await drive(request.claim, textOfIds(tokenizer, ids, limit))
    return sendEncoded(request, reply, answer, JSON_UTF8, limit)
  })
}
