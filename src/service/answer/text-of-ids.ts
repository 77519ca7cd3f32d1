import { isUtf8 } from 'node:buffer'
import { InletError } from '../../first-layer/errors.js'
import { PAUSE, type Steps } from '../../first-layer/steps.js'
import type { Ids } from '../../first-layer/tokens/token-buffer.js'
import { type DecodedText, nameOf, type Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import { openTail } from '../../first-layer/tokens/unicode/utf8-sequence.js'
import type { TokenStrings, Vocabulary } from '../../first-layer/tokens/vocabulary.js'
import type { EncodedAnswer } from './formats/json.js'
import { responseTooLarge } from './send-encoded.js'

/**
 * The text of ids as JSON: [15496, 11, 995, 0] in `gpt2` → `{"text":"Hello, world!","lossy":false}`. It is
 * made part by part, twice: the first time only to learn its size.
 * @throws InletError `token_out_of_range`, `response_too_large` beyond `limit` bytes
 */
export function* textOfIds(tokenizer: Tokenizer, ids: Ids, limit: number): Steps<EncodedAnswer> {
  const { vocabulary, strings } = tokenizer
  const check = (bytes: number) => {
    if (bytes > limit) throw responseTooLarge('application/json', limit, `at least ${bytes} bytes`)
    return bytes
  }
  if (vocabulary !== undefined) {
    const text = vocabularyText(vocabulary, ids, check(yield* textBytes(tokenizer, vocabulary, ids)))
    return decodedJson(text, yield* decodedBytes(text, Number.POSITIVE_INFINITY))
  }
  if (strings === undefined || tokenizer.decode === undefined)
    throw new RangeError('a tokenizer without bytes of its tokens must decode')
  const decoding = tokenizer.decode(ids, yield* textBytes(tokenizer, strings, ids))
  const text = 'parts' in decoding ? decoding : yield* decoding
  return decodedJson(text, check(yield* decodedBytes(text, limit)))
}

/** Ids between two pauses: a few tenths of a millisecond. */
const SLICE = 1 << 16

/**
 * Number of bytes of the ids' tokens: [15496, 11] in `gpt2` → 6.
 * @param tokens the tokens' bytes, or their strings
 * @throws InletError `token_out_of_range` for the first id that has no text
 */
export function* textBytes(
  tokenizer: Tokenizer,
  { offsets }: Pick<Vocabulary | TokenStrings, 'offsets'>,
  ids: Ids,
): Steps<number> {
  let bytes = 0
  for (let place = 0; place < ids.length; place++) {
    if (place % SLICE === 0) yield PAUSE
    const id = ids.at(place)!
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
 * Bytes of the answer of {@link decodedJson}. Of an answer beyond `limit` it counts no more than it must:
 * some number greater than `limit` that is not greater than the answer.
 */
export function* decodedBytes(text: DecodedText, limit: number): Steps<number> {
  let bytes = 0
  for (const part of decodedParts(text)) {
    bytes += part.length
    if (bytes > limit) break
    yield PAUSE
  }
  return bytes
}

export function decodedJson(text: DecodedText, size: number): EncodedAnswer {
  return { size, exact: true, headers: {}, body: decodedParts(text) }
}

function* decodedParts(text: DecodedText): Generator<Buffer, void, void> {
  yield Buffer.from('{"text":"')
  for (const part of text.parts()) yield Buffer.from(JSON.stringify(part).slice(1, -1))
  yield Buffer.from(`","lossy":${text.lossy}}`)
}

/** Most bytes of tokens in a part: a tenth of a millisecond or two. */
export const TEXT_PART_BYTES = 1 << 15

const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * The text of tokens that are bytes; its parts, joined, equal the text of all bytes decoded at once. `lossy`
 * is known when they have been read once.
 * @param length how many bytes the ids have in all
 */
export function vocabularyText({ bytes, offsets }: Vocabulary, ids: Ids, length: number): DecodedText {
  const text = { lossy: false, parts }
  const decoded = (utf8: Buffer) => {
    text.lossy ||= !isUtf8(utf8)
    return lenient.decode(utf8)
  }
  function* parts() {
    const utf8 = Buffer.allocUnsafe(Math.min(length, TEXT_PART_BYTES))
    let end = 0
    for (let place = 0; place < ids.length; place++) {
      const id = ids.at(place)!
      for (let at = offsets[id]!; at < offsets[id + 1]!; at++) {
        if (end === utf8.length) {
          const whole = end - openTail(utf8)
          yield decoded(utf8.subarray(0, whole))
          end = utf8.copy(utf8, 0, whole) // the first bytes of a cut character wait for its rest
        }
        utf8[end++] = bytes[at]!
      }
    }
    yield decoded(utf8.subarray(0, end))
  }
  return text
}
