import type { FastifyInstance } from 'fastify'
import { drive } from '../../first-layer/work/drive.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import type { Models } from '../../service/models/library/models.js'
import { askedTokenizer } from '../../service/request/asked-tokenizer.js'
import { jsonBody } from '../../service/request/body/json-body.js'
import { textOfIds } from '../../service/request/documents/text-of-ids.js'
import type { LimitVariables } from '../../service/request/limit-variables.js'
import { detokenizeRequest } from './schemas.js'

const JSON_TYPE = 'application/json'
const JSON_UTF8 = 'application/json; charset=utf-8'

/** `POST /v1/detokenize`. */
export function addDetokenizeRoute(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const media = { consumes: [JSON_TYPE], produces: [JSON_TYPE] }
  app.post('/v1/detokenize', { config: { media } }, async (request, reply) => {
    const { input_ids: ids, ...body } = await jsonBody(request, detokenizeRequest, limits)
    const tokenizer = await askedTokenizer(request, models, body)
    request.figures = { numTokens: ids.length }
    const limit = limits.MAX_JSON_RESPONSE_BYTES
    const answer = await drive(request.claim, textOfIds(tokenizer, ids, limit))
    return sendEncoded(request, reply, answer, JSON_UTF8, limit)
  })
}
