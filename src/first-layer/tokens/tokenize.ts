import { InletError, invalidField } from '../errors.js'
import { Reserved } from '../memory.js'
import { PAUSE, type Steps } from '../steps.js'
import { GrowingIds, type TokenBuffer } from './token-buffer.js'
import { nameOf, type StreamOptions, type Tokenizer, type TokenStream } from './tokenizer.js'

/** All special tokens of each tokenizer: one set, so that a tokenizer can keep what it makes of it. */
const all = new WeakMap<Tokenizer, ReadonlySet<string>>()

const NONE: ReadonlySet<string> = new Set()

/** The special token that an encoding allows by default: the course's own. */
const END_OF_TEXT = '<|endoftext|>'

/**
 * The literals that become special tokens: all of the tokenizer's, or the given ones. Nothing given: `<|endoftext|>` for
 * an encoding, all for a model folder's tokenizer, as the libraries for each do.
 *
 * @throws InletError `invalid_request` for a literal that the tokenizer does not have
 */
export function allowedSpecialSet(
  tokenizer: Tokenizer,
  given: 'all' | readonly string[] | undefined,
): ReadonlySet<string> {
  if (tokenizer.unavailable !== undefined) return NONE // the text is refused anyway
  const known = tokenizer.specialTokens
  if (given === 'all' || (given === undefined && tokenizer.encoding === undefined)) return allOf(tokenizer)
  if (given === undefined) return new Set([END_OF_TEXT])
  const unknown = given.findIndex((literal) => !known.has(literal))
  if (unknown < 0) return new Set(given)
  throw invalidField(
    `allowed_special.${unknown}`,
    `must be one of ${[...known.keys()].join(', ')}`,
    given[unknown],
  )
}

function allOf(tokenizer: Tokenizer): ReadonlySet<string> {
  let set = all.get(tokenizer)
  if (set === undefined) {
    set = new Set(tokenizer.specialTokens.keys())
    all.set(tokenizer, set)
  }
  return set
}

/**
 * The allowed special tokens with their ids.
 *
 * @throws RangeError for a literal that is no special token
 */
export function allowedLiterals(
  specialTokens: ReadonlyMap<string, number>,
  allowed: ReadonlySet<string>,
): { literal: string; id: number }[] {
  return [...allowed].map((literal) => {
    const id = specialTokens.get(literal)
    if (id === undefined)
      throw new RangeError(`${JSON.stringify(literal)} is no special token of this tokenizer`)
    return { literal, id }
  })
}

/** The fields of a request that decide how its text becomes ids. */
export interface AskedTokens {
  readonly allowed_special?: 'all' | readonly string[]
  readonly add_special_tokens?: boolean
}

/** How a request's text becomes ids. @throws InletError as {@link allowedSpecialSet} */
export function streamOptions(tokenizer: Tokenizer, asked: AskedTokens): StreamOptions {
  const { allowed_special, add_special_tokens: addSpecialTokens = false } = asked
  return { allowedSpecial: allowedSpecialSet(tokenizer, allowed_special), addSpecialTokens }
}

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

/** Bytes that a stream holds without asking: the slice being worked on, and what of it may go on in the next. */
const FREE_BYTES = 1 << 18
/** Memory of a byte that a stream holds back, while its buffer grows to twice its size. */
const HELD_COPIES = 3
/** Memory of a byte of a text that is held as a whole: the text itself, and a string of it. */
const WHOLE_COPIES = 3

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
  /** Memory of the text, for a tokenizer that must hold it as a whole, and of what any other stream holds back. */
  readonly #whole = new Reserved()
  readonly #held = new Reserved()
  #bytes = 0
  #isEnded = false

  /** @param into as in {@link tokenizeText} */
  constructor(
    private readonly tokenizer: Tokenizer,
    options: StreamOptions,
    into?: IdTarget,
  ) {
    this.#own = into === undefined ? new GrowingIds() : undefined
    this.#into = into ?? this.#own!
    this.#stream = tokenizer.stream(options)
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
      const more = this.#grow(slice.length)
      if (more > 0) yield more
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
    const unused = this.#whole.settle(0) + this.#held.settle(0) + (this.#own?.settle() ?? 0)
    if (unused > 0) yield -unused
    return this.#into.ids
  }

  /** The bytes to reserve before `bytes` more of the text are written. @throws InletError `body_too_large` */
  #grow(bytes: number): number {
    const { maxTextBytes = Number.POSITIVE_INFINITY } = this.tokenizer
    this.#bytes += bytes
    if (this.#bytes > maxTextBytes) {
      const message = `\`text\` must be at most ${maxTextBytes} bytes for ${nameOf(this.tokenizer)}. Given: ${this.#bytes} or more`
      throw new InletError('body_too_large', message, 'text')
    }
    const held = (this.#stream.heldBytes ?? 0) + bytes
    return (
      (maxTextBytes < Number.POSITIVE_INFINITY ? this.#whole.reach(WHOLE_COPIES * this.#bytes) : 0) +
      (held > FREE_BYTES ? this.#held.reach(HELD_COPIES * held) : 0)
    )
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
