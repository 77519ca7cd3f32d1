import { isUtf8 } from 'node:buffer'
import { InletError } from '../../first-layer/errors.js'
import { type Blocks, PAUSE, type Steps } from '../../first-layer/steps.js'
import type { Ids } from '../../first-layer/tokens/token-buffer.js'
import { type DecodedText, nameOf, type Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import { openTail } from '../../first-layer/tokens/unicode/utf8-sequence.js'
import type { TokenStrings, Vocabulary } from '../../first-layer/tokens/vocabulary.js'
import type { EncodedAnswer } from './formats/json.js'
import { joinedBlocks } from './number-text.js'
import { responseTooLarge } from './send-encoded.js'

/**
 * The text of ids as JSON: [15496, 11, 995, 0] in `gpt2` → `{"text":"Hello, world!","lossy":false}`. It is made part by
 * part, twice: the first time only to learn its size.
 *
 * @throws InletError `token_out_of_range`, `response_too_large` beyond `limit` bytes
 */
export function* textOfIds(tokenizer: Tokenizer, ids: Ids, limit: number): Steps<EncodedAnswer> {
  const { vocabulary, strings } = tokenizer
  const check = (bytes: number) => {
    if (bytes > limit) throw responseTooLarge('application/json', limit, `at least ${bytes} bytes`)
    return bytes
  }
  if (vocabulary !== undefined) {
    const bytes = check(yield* textBytes(tokenizer, vocabulary, ids))
    return yield* detokenizedJson(vocabulary, ids, bytes)
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
 *
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
 * Bytes of the answer of {@link decodedJson}. Of an answer beyond `limit` it counts no more than it must: some number
 * greater than `limit` that is not greater than the answer.
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

/** The answer for a tokenizer whose tokens have no own bytes. @param size by {@link decodedBytes} */
export function decodedJson(text: DecodedText, size: number): EncodedAnswer {
  return { size, exact: true, headers: {}, body: decodedParts(text) }
}

function* decodedParts({ lossy, parts }: DecodedText): Generator<Buffer, void, void> {
  yield Buffer.from('{"text":"')
  for (const part of parts()) yield Buffer.from(JSON.stringify(part).slice(1, -1))
  yield Buffer.from(`","lossy":${lossy}}`)
}

/** The answer for a tokenizer whose tokens are bytes. @param bytes how many the ids have in all */
export function* detokenizedJson(vocabulary: Vocabulary, ids: Ids, bytes: number): Steps<EncodedAnswer> {
  const tokens = yield* escapedTokens(vocabulary)
  const parts = () => escapedText(tokens, ids, bytes)
  const isShort = MAX_ESCAPE_BYTES * bytes <= TEXT_PART_BYTES
  const kept = isShort ? [...parts()] : undefined // one part, as most texts are
  let textLength = 0
  let lossy = false
  for (const part of kept ?? parts()) {
    textLength += part.utf8.length
    lossy ||= part.lossy
    yield PAUSE
  }
  const [before, after] = ['{"text":"', `","lossy":${lossy}}`]
  function* body(): Blocks {
    yield Buffer.from(before)
    for (const { utf8 } of kept ?? parts()) yield utf8
    yield Buffer.from(after)
  }
  const size = before.length + textLength + after.length
  return { size, exact: true, headers: {}, body: joinedBlocks(body()) }
}

/** Most bytes of tokens in a part. */
export const TEXT_PART_BYTES = 1 << 15

/** A part of a text, whole characters. */
interface TextPart {
  /** Valid until the next part is asked for. */
  readonly utf8: Buffer
  /** Whether the part had bytes that are not UTF-8, which were replaced by U+FFFD. */
  readonly lossy: boolean
}

/**
 * The text of ids, escaped as in a JSON string but without its quotes, in parts; joined, they equal the text of all
 * bytes decoded at once. A part takes a tenth of a millisecond or two.
 *
 * @param length how many bytes the ids have in all, not escaped
 */
function* escapedText(
  { bytes, offsets }: EscapedTokens,
  ids: Ids,
  length: number,
): Generator<TextPart, void, void> {
  const utf8 = Buffer.allocUnsafe(Math.min(MAX_ESCAPE_BYTES * length, TEXT_PART_BYTES))
  let end = 0
  for (let place = 0; place < ids.length; place++) {
    const id = ids.at(place)!
    for (let at = offsets[id]!; at < offsets[id + 1]!; at++) {
      if (end === utf8.length) {
        const whole = end - openTail(utf8)
        yield textPart(utf8.subarray(0, whole))
        end = utf8.copy(utf8, 0, whole) // the first bytes of a cut character wait for its rest
      }
      utf8[end++] = bytes[at]!
    }
  }
  yield textPart(utf8.subarray(0, end))
}

const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

function textPart(utf8: Buffer): TextPart {
  return isUtf8(utf8) ? { utf8, lossy: false } : { utf8: Buffer.from(lenient.decode(utf8)), lossy: true }
}

/** The bytes of tokens as a JSON string has them: token `id` is `bytes[offsets[id] … offsets[id + 1]]`. */
type EscapedTokens = Pick<Vocabulary, 'bytes' | 'offsets'>

/** Tokens escaped between two pauses. */
const TOKENS = 4096
/** Most bytes that escaping makes of one byte. */
const MAX_ESCAPE_BYTES = '\\u0000'.length

/** JSON's escapes for bytes that need one in a string: `\n`, `\"`, `\u0000`. */
const ESCAPES = Array.from({ length: 0x100 }, (_, byte) => {
  const escaped = byte < 0x80 ? JSON.stringify(String.fromCharCode(byte)).slice(1, -1) : ''
  return escaped.length > 1 ? Buffer.from(escaped) : undefined
})

const byVocabulary = new WeakMap<Vocabulary, EscapedTokens>()

/**
 * A vocabulary with quotes, backslashes and control characters escaped: `"` → `\"`. Escaping token by token gives
 * the same as escaping the whole text, since these characters are ASCII, and no ASCII byte is part of a longer
 * character. Made at the first use, and kept.
 */
function* escapedTokens(vocabulary: Vocabulary): Steps<EscapedTokens> {
  const known = byVocabulary.get(vocabulary)
  if (known !== undefined) return known
  const { size, bytes, offsets } = vocabulary
  const parts: Buffer[] = []
  const starts = new Uint32Array(size + 1)
  for (let first = 0; first < size; first += TOKENS) {
    yield PAUSE
    const last = Math.min(first + TOKENS, size)
    const out = Buffer.allocUnsafe(MAX_ESCAPE_BYTES * (offsets[last]! - offsets[first]!))
    let at = 0
    for (let id = first; id < last; id++) {
      for (let i = offsets[id]!; i < offsets[id + 1]!; i++) {
        const escaped = ESCAPES[bytes[i]!]
        if (escaped === undefined) out[at++] = bytes[i]!
        else at += escaped.copy(out, at)
      }
      starts[id + 1] = starts[first]! + at
    }
    parts.push(out.subarray(0, at))
  }
  const tokens = { bytes: Buffer.concat(parts), offsets: starts }
  byVocabulary.set(vocabulary, tokens)
  return tokens
}
