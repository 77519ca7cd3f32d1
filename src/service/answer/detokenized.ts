import { isUtf8 } from 'node:buffer'
import { PAUSE, type Steps } from '../../first-layer/steps.js'
import type { Ids } from '../../first-layer/tokens/token-buffer.js'
import { openTail } from '../../first-layer/tokens/unicode/utf8-sequence.js'
import type { Vocabulary } from '../../first-layer/tokens/vocabulary.js'
import { type EscapedTokens, escapedTokens, MAX_ESCAPE_BYTES } from './escaped-tokens.js'
import type { EncodedAnswer } from './formats/json.js'
import { BlockPool } from './number-text.js'

const BLOCK_BYTES = 1 << 16
const BEFORE = '{"text":"'

const pool = new BlockPool(BLOCK_BYTES, 16)

/**
 * The answer of `/v1/detokenize` as a stream of JSON text. A long text is made twice, the first time only to
 * learn its size, and is never held as a whole. [15496, 11, 995, 0] in `gpt2` → `{"text":"Hello,
 * world!","lossy":false}`.
 *
 * @param bytes how many bytes the ids have in all
 */
export function* detokenizedJson(vocabulary: Vocabulary, ids: Ids, bytes: number): Steps<EncodedAnswer> {
  const tokens = yield* escapedTokens(vocabulary)
  let textBytes = 0
  let lossy = false
  const parts = () => escapedText(tokens, ids, bytes)
  const isShort = MAX_ESCAPE_BYTES * bytes <= TEXT_PART_BYTES
  const kept = isShort ? [...parts()] : undefined // one part, as most texts are
  for (const part of kept ?? parts()) {
    textBytes += part.utf8.length
    lossy ||= part.lossy
    yield PAUSE
  }
  const after = `","lossy":${lossy}}`
  const size = BEFORE.length + textBytes + after.length
  return { size, exact: true, headers: {}, body: text(kept ?? parts(), after) }
}

async function* text(parts: Iterable<TextPart>, after: string): AsyncGenerator<Uint8Array, void, void> {
  const block = pool.take()
  try {
    let at = block.write(BEFORE)
    for (const { utf8 } of parts) {
      if (at > 0 && at + utf8.length + after.length > BLOCK_BYTES) {
        yield block.subarray(0, at)
        at = 0
      }
      if (utf8.length + after.length > BLOCK_BYTES) yield utf8
      else at += utf8.copy(block, at)
    }
    at += block.write(after, at)
    yield block.subarray(0, at)
  } finally {
    pool.give(block)
  }
}

/** Most bytes of tokens in a part. */
export const TEXT_PART_BYTES = 1 << 15

const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** A part of a text, whole characters. */
interface TextPart {
  /** Valid until the next part is asked for. */
  readonly utf8: Buffer
  /** Whether the part had bytes that are not UTF-8, which were replaced by U+FFFD. */
  readonly lossy: boolean
}

/** Which byte comes next: the id's place, and how many of its bytes have been taken. */
interface Cursor {
  place: number
  taken: number
}

/**
 * The text of ids, escaped as in a JSON string but without its quotes, in parts; joined, they equal the text of
 * all bytes decoded at once. [15496, 11, 995, 0] in `gpt2` → `Hello, world!`. A part takes a tenth of a
 * millisecond or two.
 *
 * @param bytes how many bytes the ids have in all, not escaped
 */
function* escapedText(tokens: EscapedTokens, ids: Ids, bytes: number): Generator<TextPart, void, void> {
  const utf8 = Buffer.allocUnsafe(Math.min(MAX_ESCAPE_BYTES * bytes, TEXT_PART_BYTES))
  const cursor = { place: 0, taken: 0 }
  const count = ids.length
  for (let kept = 0; cursor.place < count; ) {
    const end = fill(utf8, kept, tokens, ids, cursor)
    const filled = utf8.subarray(0, end)
    const whole = cursor.place < count ? end - openTail(filled) : end
    yield textPart(filled.subarray(0, whole))
    kept = filled.copy(utf8, 0, whole) // the first bytes of a cut character wait for its rest
  }
}

/** Fills `utf8` from `length` on with the bytes of ids; returns where they end. */
function fill(
  utf8: Uint8Array,
  length: number,
  { bytes, offsets }: EscapedTokens,
  ids: Ids,
  cursor: Cursor,
): number {
  let { place, taken } = cursor
  for (const count = ids.length; place < count; place++) {
    const id = ids.at(place) as number
    let at = offsets[id] + taken
    const end = Math.min(offsets[id + 1], at + utf8.length - length)
    while (at < end) utf8[length++] = bytes[at++]
    taken = at - offsets[id]
    if (at < offsets[id + 1]) break
    taken = 0
  }
  cursor.place = place
  cursor.taken = taken
  return length
}

function textPart(utf8: Buffer): TextPart {
  return isUtf8(utf8) ? { utf8, lossy: false } : { utf8: Buffer.from(lenient.decode(utf8)), lossy: true }
}
