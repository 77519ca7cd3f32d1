import type { FastifyInstance } from 'fastify'
import { InletError } from '../../errors.js'
import { allowedSpecialSet } from '../../first-layer/tokens/allowed-special.js'
import { chunksOf } from '../../first-layer/windows/chunks.js'
import { CUT_BYTES, cutsOf } from '../../first-layer/windows/cuts.js'
import { TextDocuments } from '../../first-layer/windows/text-documents.js'
import { drive } from '../../load/drive.js'
import type { Models } from '../../models/library/models.js'
import { listDocuments } from '../../requests/list-documents.js'
import { textsUtf8 } from '../../requests/text-ids.js'
import { placesOf } from '../../requests/token-places.js'
import { responseTooLarge } from '../../requests/too-large.js'
import { type ChunkedText, chunksJson } from '../../wire/chunks-json.js'
import { preferred } from '../../wire/formats/registry.js'
import { isList } from '../../wire/given.js'
import { chunksRequest } from '../../wire/schemas/chunks.js'
import { measured } from '../../wire/tokenized-items.js'
import { sendEncoded } from '../answers/send-encoded.js'
import { jsonBody } from '../body/json-body.js'
import type { LimitVariables } from '../limit-variables.js'
import { askedTokenizer } from './asked-tokenizer.js'

const JSON_TYPE = 'application/json'
/** Bytes that a text's chunks take beside its cuts. */
const TEXT_BYTES = 512

/** `POST /v1/chunks`: parts of texts with at most so many tokens, as places in the text. */
export function addChunksRoute(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const options = { config: { media: { consumes: [JSON_TYPE], produces: [JSON_TYPE] } } }
  const limit = limits.MAX_JSON_RESPONSE_BYTES
  app.post('/v1/chunks', options, async (request, reply) => {
    const { claim } = request
    const body = await jsonBody(request, chunksRequest, limits)
    preferred(request.headers.accept, [JSON_TYPE])
    const tokenizer = await askedTokenizer(request, models, body)
    const allowedSpecial = allowedSpecialSet(tokenizer, body.allowed_special)
    const started = performance.now()
    request.trace?.enter('tokenize')
    const asked = { allowedSpecial, ranges: true }
    const given = isList(body.text) ? body.text : [body.text]
    const list = await drive(claim, listDocuments(TextDocuments, tokenizer, given, asked, 'text'))
    request.figures = { numTokens: list.ids.length, tokenizeMs: performance.now() - started }
    request.trace?.enter('window')
    const { bytes, starts } = await drive(claim, textsUtf8(given))
    const sizes = { maxTokens: body.max_tokens, overlap: body.overlap }
    const texts: ChunkedText[] = []
    for (let d = 0; d < list.count; d++) {
      const wait = claim.take(TEXT_BYTES + CUT_BYTES * (list.length(d) + 2))
      if (wait !== undefined) await wait
      const utf8 = bytes.subarray(starts.at(d), d + 1 < list.count ? starts.at(d + 1) : bytes.length)
      try {
        const cuts = await drive(claim, cutsOf(utf8, placesOf(tokenizer, list, d), body.boundary))
        const chunks = await drive(claim, chunksOf(cuts, sizes))
        texts.push({ chunks, numTokens: list.length(d), utf8: body.include_text ? utf8 : undefined })
      } catch (error) {
        throw isList(body.text) ? ofText(error, d) : error
      }
    }
    const answer = await drive(
      claim,
      measured(() => chunksJson(texts, isList(body.text)), limit),
    )
    if (answer === undefined) throw responseTooLarge(JSON_TYPE, limit, `more than ${limit} bytes`)
    return sendEncoded(request, reply, answer, `${JSON_TYPE}; charset=utf-8`, limit)
  })
}

/** An error about one text of a list, with the path of that text. */
function ofText(error: unknown, d: number): unknown {
  if (!(error instanceof InletError) || error.code !== 'unsupported_combination') return error
  const message = `${error.message}, in \`text.${d}\``
  return new InletError(error.code, message, error.param === 'text' ? `text.${d}` : error.param)
}
