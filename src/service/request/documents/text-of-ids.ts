import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import type { Ids } from '../../../first-layer/tokens/token-buffer.js'
import { type DecodedText, nameOf, type Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import type { TokenStrings, Vocabulary } from '../../../first-layer/tokens/vocabulary.js'
import { detokenizedJson } from '../../answer/detokenized.js'
import { InletError } from '../../answer/error-table.js'
import type { EncodedAnswer } from '../../answer/formats/json.js'
import { responseTooLarge } from '../../answer/send-encoded.js'

const JSON_TYPE = 'application/json'

/**
 * The text of ids as JSON, `{"text":"Hello","lossy":false}`.
 *
 * @throws InletError `token_out_of_range`, `response_too_large` beyond `limit` bytes
 */
export function textOfIds(tokenizer: Tokenizer, ids: Ids, limit: number): Steps<EncodedAnswer> {
  const { vocabulary } = tokenizer
  return vocabulary === undefined
    ? decoded(tokenizer, ids, limit)
    : detokenized(tokenizer, vocabulary, ids, limit)
}

function* detokenized(
  tokenizer: Tokenizer,
  vocabulary: Vocabulary,
  ids: Ids,
  limit: number,
): Steps<EncodedAnswer> {
  const bytes = yield* textBytes(tokenizer, vocabulary, ids)
  if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
  return yield* detokenizedJson(vocabulary, ids, bytes)
}

/** The same for a tokenizer whose tokens are no byte sequences. */
function* decoded(tokenizer: Tokenizer, ids: Ids, limit: number): Steps<EncodedAnswer> {
  const { strings } = tokenizer
  if (strings === undefined || tokenizer.decode === undefined)
    throw new RangeError('a tokenizer without bytes of its tokens must decode')
  const decoding = tokenizer.decode(ids, yield* textBytes(tokenizer, strings, ids))
  const text = 'parts' in decoding ? decoding : yield* decoding
  const bytes = yield* decodedBytes(text, limit)
  if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
  return decodedJson(text, bytes)
}

/** Ids between two pauses: a few tenths of a millisecond. */
const SLICE = 1 << 16

type Tokens = Pick<Vocabulary | TokenStrings, 'offsets'>

/**
 * Number of bytes of the ids' tokens: [15496, 11] in `gpt2` → 6.
 *
 * @param tokens the tokens' bytes, or their strings
 * @throws InletError `token_out_of_range` for the first id that has no text
 */
export function* textBytes(tokenizer: Tokenizer, tokens: Tokens, ids: Ids): Steps<number> {
  let bytes = 0
  for (let start = 0; start < ids.length; start += SLICE) {
    yield PAUSE
    bytes += sliceBytes(tokenizer, tokens, ids, start)
  }
  return bytes
}

function sliceBytes(tokenizer: Tokenizer, { offsets }: Tokens, ids: Ids, start: number): number {
  const end = Math.min(start + SLICE, ids.length)
  let bytes = 0
  for (let place = start; place < end; place++) {
    const id = ids.at(place) as number
    const length = offsets[id + 1]! - offsets[id]!
    if (!(length > 0)) throw textless(tokenizer, id, place)
    bytes += length
  }
  return bytes
}

function textless(tokenizer: Tokenizer, id: number, place: number): InletError {
  const rule = id < tokenizer.vocabSize ? 'no text for this id' : `ids below ${tokenizer.vocabSize}`
  const message = `\`input_ids.${place}\` must be a token of ${nameOf(tokenizer)}, which has ${rule}. Given: ${id}`
  return new InletError('token_out_of_range', message, `input_ids.${place}`)
}

/**
 * Bytes of the answer of {@link decodedJson}. Of an answer beyond `limit` it counts no more than it must: some number
 * greater than `limit` that is not greater than the answer.
 */
export function* decodedBytes(text: DecodedText, limit: number): Steps<number> {
  let bytes = 0
  for (const part of json(text)) {
    bytes += Buffer.byteLength(part)
    if (bytes > limit) break
    yield PAUSE
  }
  return bytes
}

/**
 * The answer of `/v1/detokenize` for a tokenizer whose tokens are no byte sequences, in the form of
 * `detokenizedJson`. The text is made part by part.
 *
 * @param size its bytes, by {@link decodedBytes}
 */
export function decodedJson(text: DecodedText, size: number): EncodedAnswer {
  return { size, exact: true, headers: {}, body: blocks(text) }
}

async function* blocks(text: DecodedText): AsyncGenerator<Uint8Array, void, void> {
  for (const part of json(text)) yield Buffer.from(part)
}

function* json({ lossy, parts }: DecodedText): Generator<string, void, void> {
  yield '{"text":"'
  for (const part of parts()) yield JSON.stringify(part).slice(1, -1)
  yield `","lossy":${lossy}}`
}
