import { Reserved } from '../reserved.js'
import { PAUSE, type Steps } from '../steps.js'
import { GrowingIds } from './growing-ids.js'
import type { TokenBuffer } from './token-buffer.js'
import type { TokenStream } from './token-stream.js'
import type { StreamOptions, Tokenizer } from './tokenizer.js'
import { WholeText } from './whole-text.js'

/** Takes the ids of texts, one after the other. */
export interface IdTarget {
  readonly ids: TokenBuffer
  /** Called before `more` ids come: the bytes to reserve first, or a promise to wait for first; 0: neither. */
  makeRoom(more: number): number | Promise<unknown>
}

/** UTF-16 units encoded at a time: at most 192 KB of UTF-8. */
const SLICE = 65_536
/** Bytes written at a time. */
const SLICE_BYTES = 65_536
/** UTF-16 units of a text that is tokenized at once. */
const SHORT = 5_400
/** Most ids that can come at once: from a short text, or from one step of a stream. */
export const STEP_IDS = 16_384

const encoder = new TextEncoder()

/**
 * The ids of a text: `Hello, world!` in `gpt2` → [15496, 11, 995, 0].
 *
 * The text must be well-formed UTF-16; that is checked elsewhere.
 *
 * @param into list to which the ids are added, behind those of earlier texts
 * @returns the ids of this text, or all of `into`
 */
export function* tokenizeText(
  tokenizer: Tokenizer,
  text: string,
  options: StreamOptions,
  into?: GrowingIds,
): Steps<TokenBuffer> {
  yield PAUSE // many short texts are long work too
  if (tokenizer.encodeShort && text.length <= SHORT) {
    const more = into?.makeRoom(STEP_IDS) ?? 0
    if (more > 0) yield more
    const short = tokenizer.encodeShort(text, options, into?.ids)
    if (short !== undefined) return short
  }
  const utf8 = Buffer.allocUnsafeSlow(3 * Math.min(text.length, SLICE)) // zeros would be written for nothing
  const writer = new TextWriter(tokenizer, options, into)
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start, SLICE)
    const { written } = encoder.encodeInto(text.slice(start, end), utf8)
    yield* writer.write(utf8.subarray(0, written), end === text.length)
    start = end
  }
  return yield* writer.end()
}

/**
 * A text that comes as UTF-8 in parts, cut anywhere: `48 65`, `6c 6c 6f` in `gpt2` → [15496].
 *
 * The bytes must be valid UTF-8; that is checked elsewhere. The text is never held as a whole.
 */
export class TextWriter {
  readonly #own: GrowingIds | undefined
  readonly #into: IdTarget
  readonly #stream: TokenStream
  readonly #whole: WholeText
  readonly #held: HeldText
  #isEnded = false

  /** @param into as in {@link tokenizeText} */
  constructor(tokenizer: Tokenizer, options: StreamOptions, into?: IdTarget) {
    this.#own = into === undefined ? new GrowingIds() : undefined
    this.#into = into ?? this.#own!
    this.#whole = new WholeText(tokenizer)
    this.#stream = tokenizer.stream(options)
    this.#held = new HeldText(this.#stream)
  }

  /**
   * Takes the next bytes of the text. The caller may change them when it has returned.
   *
   * @param isEnd whether the text ends with them
   * @throws InletError `body_too_large` for a text that its tokenizer must hold as a whole and that is too long for it
   */
  *write(chunk: Uint8Array, isEnd = false): Steps<void> {
    // A chunk may be a whole file: it goes in slices, so that the stream never holds a copy of all of it.
    for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
      const slice = chunk.subarray(start, start + SLICE_BYTES)
      const whole = this.#whole.grow(slice.length)
      if (whole > 0) yield whole
      const held = this.#held.makeRoom(slice.length)
      if (held > 0) yield held
      this.#stream.write(slice)
      if (isEnd && start + SLICE_BYTES >= chunk.length) this.#endStream()
      yield* this.#drain()
    }
    this.#stream.keep?.()
  }

  /** The ids of this text, or all of `into`, after its last byte. */
  *end(): Steps<TokenBuffer> {
    if (!this.#isEnded) {
      this.#endStream()
      yield* this.#drain()
    }
    const unused = this.#whole.settle() + this.#held.settle() + (this.#own?.settle() ?? 0)
    if (unused > 0) yield -unused
    return this.#into.ids
  }

  #endStream(): void {
    this.#isEnded = true
    this.#stream.end()
  }

  *#drain(): Steps<void> {
    for (;;) {
      yield PAUSE
      const more = this.#into.makeRoom(STEP_IDS)
      if (more !== 0) yield more
      const isLeft = this.#stream.advance(this.#into.ids)
      if (!(typeof isLeft === 'boolean' ? isLeft : yield* isLeft)) return
    }
  }
}

/** The ids of a text of which all bytes are there. */
export function* tokenizeBytes(
  tokenizer: Tokenizer,
  chunks: Iterable<Uint8Array>,
  options: StreamOptions,
  into?: GrowingIds,
): Steps<TokenBuffer> {
  const writer = new TextWriter(tokenizer, options, into)
  for (const chunk of chunks) yield* writer.write(chunk)
  return yield* writer.end()
}

/** About `units` UTF-16 units on from `start`, never between the two halves of a surrogate pair. */
export function sliceEnd(text: string, start: number, units: number): number {
  const end = start + units
  if (end >= text.length) return text.length
  return (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : end
}

/** Bytes that a stream holds without asking: the slice being worked on, and what of it may go on in the next. */
const FREE_BYTES = 1 << 18
/** Memory that a held byte takes while the stream's buffer grows to twice its size. */
const COPIES = 3

/** The memory of text that a stream holds back, as whitespace that a token may take along: usually none. */
class HeldText {
  readonly #room = new Reserved()

  constructor(private readonly stream: TokenStream) {}

  /** The bytes to reserve before `more` bytes are written. */
  makeRoom(more: number): number {
    const bytes = (this.stream.heldBytes ?? 0) + more
    return bytes <= FREE_BYTES ? 0 : this.#room.reach(COPIES * bytes)
  }

  /** The bytes to give back when the stream is done. */
  settle(): number {
    return this.#room.settle(0)
  }
}
