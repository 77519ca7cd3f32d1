import { type Claim, UNBOUNDED } from '../../load/claim.js'
import { Pace } from '../../turn.js'
import { GrowingIds } from './growing-ids.js'
import { HeldText } from './held-text.js'
import type { TokenBuffer } from './token-buffer.js'
import type { TokenStream } from './token-stream.js'
import type { StreamOptions, Tokenizer } from './tokenizer.js'
import { WholeText } from './whole-text.js'

/** UTF-16 units encoded at a time: at most 192 KB of UTF-8. */
const SLICE = 65_536
/** UTF-16 units of a text that is tokenized at once. */
const SHORT = 5_400
/** Most ids that can come at once: from a short text, or from one step of a stream. */
const STEP_IDS = 16_384

const encoder = new TextEncoder()

/**
 * The ids of a text: `Hello, world!` in `gpt2` → [15496, 11, 995, 0].
 *
 * The text must be well-formed UTF-16; that is checked elsewhere. Every few milliseconds the function lets the
 * event loop run; a text that takes less time is done in one turn.
 *
 * @param into list to which the ids are added, behind those of earlier texts
 * @returns the ids of this text, or all of `into`
 */
export async function tokenizeText(
  tokenizer: Tokenizer,
  text: string,
  options: StreamOptions,
  claim: Claim = UNBOUNDED,
  into?: GrowingIds,
): Promise<TokenBuffer> {
  const pace = new Pace(claim)
  if (pace.isOver) await pace.nextTurn() // many short texts are long work too
  if (tokenizer.encodeShort && text.length <= SHORT) {
    const wait = into?.makeRoom(STEP_IDS)
    if (wait !== undefined) await wait
    const short = tokenizer.encodeShort(text, options, into?.ids)
    if (short !== undefined) return short
  }
  const ids = into ?? new GrowingIds(claim)
  const whole = new WholeText(tokenizer, claim)
  const stream = tokenizer.stream(options)
  const held = new HeldText(stream, claim)
  const utf8 = new Uint8Array(3 * Math.min(text.length, SLICE))
  let start = 0
  do {
    const end = sliceEnd(text, start, SLICE)
    const { written } = encoder.encodeInto(text.slice(start, end), utf8)
    const wait = whole.grow(written)
    if (wait !== undefined) await wait
    const room = held.makeRoom(written)
    if (room !== undefined) await room
    stream.write(utf8.subarray(0, written))
    start = end
    if (start === text.length) stream.end()
    await drain(stream, ids, pace, claim)
  } while (start < text.length)
  whole.settle()
  held.settle()
  return into === undefined ? ids.settle() : into.ids
}

/**
 * The ids of a text that comes as UTF-8 in parts, cut anywhere: `48 65`, `6c 6c 6f` in `gpt2` → [15496].
 *
 * The bytes must be valid UTF-8; that is checked elsewhere. The text is never held as a whole.
 *
 * @param into as in {@link tokenizeText}
 */
export async function tokenizeBytes(
  tokenizer: Tokenizer,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: StreamOptions,
  claim: Claim = UNBOUNDED,
  into?: GrowingIds,
): Promise<TokenBuffer> {
  const ids = into ?? new GrowingIds(claim)
  const whole = new WholeText(tokenizer, claim)
  const stream = tokenizer.stream(options)
  const held = new HeldText(stream, claim)
  const pace = new Pace(claim)
  for await (const chunk of chunks) {
    // A chunk may be a whole file: it goes in slices, so that the stream never holds a copy of all of it.
    for (let start = 0; start < chunk.length; start += SLICE) {
      const slice = chunk.subarray(start, start + SLICE)
      const wait = whole.grow(slice.length)
      if (wait !== undefined) await wait
      const room = held.makeRoom(slice.length)
      if (room !== undefined) await room
      stream.write(slice)
      await drain(stream, ids, pace, claim)
    }
  }
  stream.end()
  await drain(stream, ids, pace, claim)
  whole.settle()
  held.settle()
  return into === undefined ? ids.settle() : into.ids
}

async function drain(stream: TokenStream, growing: GrowingIds, pace: Pace, claim: Claim): Promise<void> {
  while (true) {
    if (pace.isOver) await pace.nextTurn()
    const wait = growing.makeRoom(STEP_IDS)
    if (wait !== undefined) await wait
    const more = stream.advance(growing.ids, claim)
    if (typeof more === 'boolean' ? !more : !(await more)) return
  }
}

/** About `units` UTF-16 units on from `start`, never between the two halves of a surrogate pair. */
export function sliceEnd(text: string, start: number, units: number): number {
  const end = start + units
  if (end >= text.length) return text.length
  return (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : end
}
