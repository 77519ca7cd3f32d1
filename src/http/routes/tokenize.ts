import type { FastifyInstance, FastifyRequest } from 'fastify'
import { checkModel } from '../../callers/allowed-models.js'
import { InletError, shown } from '../../errors.js'
import { allowedSpecialSet } from '../../first-layer/tokens/allowed-special.js'
import { loadEncoding } from '../../first-layer/tokens/encoding.js'
import { ENCODING_NAMES, type EncodingName } from '../../first-layer/tokens/encodings.js'
import type { Ids } from '../../first-layer/tokens/ids.js'
import type { TokenBuffer } from '../../first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import type { Vocabulary } from '../../first-layer/tokens/vocabulary.js'
import type { Claim } from '../../load/claim.js'
import { drive, driveAsync } from '../../load/drive.js'
import type { Models } from '../../models/library/models.js'
import { textBytes } from '../../requests/text-bytes.js'
import { textIds, textUtf8 } from '../../requests/text-ids.js'
import { responseTooLarge } from '../../requests/too-large.js'
import { decodedBytes, decodedJson } from '../../wire/decoded.js'
import { detokenizedJson } from '../../wire/detokenized.js'
import type { EncodedAnswer } from '../../wire/formats/format.js'
import { preferred } from '../../wire/formats/registry.js'
import { safetensors } from '../../wire/formats/safetensors.js'
import type { TextPieces } from '../../wire/given.js'
import { detokenizeRequest, tokenizeRequest } from '../../wire/schemas/tokenize.js'
import { tokenizedTensors } from '../../wire/token-tensors.js'
import { tokenizedJson } from '../../wire/tokenized.js'
import { hasShortTokens, tokenizedItems } from '../../wire/tokenized-items.js'
import { sendEncoded } from '../answers/send-encoded.js'
import { jsonBody } from '../body/json-body.js'
import type { LimitVariables } from '../limit-variables.js'

const JSON_TYPE = 'application/json'
const JSON_UTF8 = 'application/json; charset=utf-8'

/** `POST /v1/tokenize` and `POST /v1/detokenize`. */
export function addTokenizeRoutes(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const options = (produces: readonly string[]) => ({
    config: { media: { consumes: [JSON_TYPE], produces } },
  })
  const tokenizeTypes = [JSON_TYPE, ...safetensors.mediaTypes]

  app.post('/v1/tokenize', options(tokenizeTypes), async (request, reply) => {
    const body = await jsonBody(request, tokenizeRequest, limits)
    const mediaType = preferred(request.headers.accept, body.count_only ? [JSON_TYPE] : tokenizeTypes)
    const tokenizer = await tokenizerOf(request, models, body)
    const allowedSpecial = allowedSpecialSet(tokenizer, body.allowed_special)
    const { add_special_tokens: addSpecialTokens, count_only: countOnly } = body
    const options = { allowedSpecial, addSpecialTokens, ranges: !countOnly }
    const [text] = body.text
    const started = performance.now()
    request.trace?.enter('tokenize')
    const ids = await textIds(tokenizer, text!, options, request.claim)
    const tokenizeMs = performance.now() - started
    request.trace?.leave()
    request.figures = { numTokens: ids.length, tokenizeMs }
    reply.header('server-timing', `tokenize;dur=${tokenizeMs.toFixed(3)}`)
    if (countOnly) return { num_tokens: ids.length, num_characters: ids.characters }
    if (mediaType === JSON_TYPE) {
      const limit = limits.MAX_JSON_RESPONSE_BYTES
      const answer = await tokenized(tokenizer, ids, text!, limit, request.claim)
      return sendEncoded(request, reply, answer, JSON_UTF8, limit)
    }
    const modelId = body.encoding === undefined ? (body.model ?? models.defaultModel) : undefined
    const answer = safetensors.encode(tokenizedTensors(tokenizer, ids, modelId), { encodingFormat: 'float' })
    return sendEncoded(request, reply, answer, mediaType, limits.MAX_RESPONSE_BYTES)
  })

  app.post('/v1/detokenize', options([JSON_TYPE]), async (request, reply) => {
    const { input_ids: ids, ...body } = await jsonBody(request, detokenizeRequest, limits)
    const tokenizer = await tokenizerOf(request, models, body)
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

/**
 * The full answer: the fast way for ids whose places follow from their lengths, the general one for all others.
 *
 * @throws InletError `response_too_large` where the general way passes `limit`
 */
async function tokenized(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  text: TextPieces,
  limit: number,
  claim: Claim,
): Promise<EncodedAnswer> {
  if (ids.ranges === undefined && hasShortTokens(tokenizer)) return tokenizedJson(tokenizer, ids, claim)
  const utf8 = ids.ranges && (await textUtf8(text, claim))
  const answer = await tokenizedItems(tokenizer, ids, limit, utf8, claim)
  if (answer === undefined) throw responseTooLarge(JSON_TYPE, limit, `more than ${limit} bytes`)
  return answer
}

/** The tokenizer of the encoding that the body names, else that of its model; the model's tables are not needed. */
async function tokenizerOf(
  request: FastifyRequest,
  models: Models,
  body: { model?: string; encoding?: string },
): Promise<Tokenizer> {
  if (body.encoding === undefined) {
    checkModel(request, models, body.model ?? models.defaultModel)
    return models.tokenizerOf(models.card(body.model))
  }
  const name = body.encoding as EncodingName
  if (ENCODING_NAMES.includes(name)) return loadEncoding(name, driveAsync)
  const message = `\`encoding\` must be one of ${ENCODING_NAMES.join(', ')}. Given: ${shown(name)}`
  throw new InletError('model_not_found', message, 'encoding')
}
