import type { FastifyInstance } from 'fastify'
import type { Ids } from '../../first-layer/tokens/ids.js'
import type { Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import type { Vocabulary } from '../../first-layer/tokens/vocabulary.js'
import type { Claim } from '../../load/claim.js'
import { drive } from '../../load/drive.js'
import type { Models } from '../../models/library/models.js'
import { textBytes } from '../../requests/text-bytes.js'
import { responseTooLarge } from '../../requests/too-large.js'
import { decodedBytes, decodedJson } from '../../wire/decoded.js'
import { detokenizedJson } from '../../wire/detokenized.js'
import type { EncodedAnswer } from '../../wire/formats/format.js'
import { detokenizeRequest } from '../../wire/schemas/tokenize.js'
import { sendEncoded } from '../answers/send-encoded.js'
import { jsonBody } from '../body/json-body.js'
import type { LimitVariables } from '../limit-variables.js'
import { askedTokenizer } from './asked-tokenizer.js'

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
    const { vocabulary } = tokenizer
    const answer =
      vocabulary === undefined
        ? await decoded(tokenizer, ids, limit, request.claim)
        : await detokenized(tokenizer, vocabulary, ids, limit, request.claim)
    return sendEncoded(request, reply, answer, JSON_UTF8, limit)
  })
}

async function detokenized(
  tokenizer: Tokenizer,
  vocabulary: Vocabulary,
  ids: Ids,
  limit: number,
  claim: Claim,
): Promise<EncodedAnswer> {
  const bytes = await textBytes(tokenizer, vocabulary, ids, claim)
  if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
  return detokenizedJson(vocabulary, ids, bytes, claim)
}

/** The same for a tokenizer whose tokens have no bytes of their own. */
async function decoded(tokenizer: Tokenizer, ids: Ids, limit: number, claim: Claim): Promise<EncodedAnswer> {
  const { strings } = tokenizer
  if (strings === undefined || tokenizer.decode === undefined)
    throw new RangeError('a tokenizer without bytes of its tokens must decode')
  const decoding = tokenizer.decode(ids, await textBytes(tokenizer, strings, ids, claim))
  const text = 'parts' in decoding ? decoding : await drive(claim, decoding)
  const bytes = await decodedBytes(text, limit, claim)
  if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
  return decodedJson(text, bytes)
}
