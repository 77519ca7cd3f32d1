import { InletError, invalidField } from '../errors.js'
import type { Stop } from '../running/wait.js'
import { type AddedToken, specialTokensOf } from './added-tokens.js'
import { TokenBuffer } from './token-buffer.js'
import { nameOf, type StreamOptions, type Tokenizer, type TokenStream } from './tokenizer.js'

/** All special tokens of each tokenizer: one set, so that a tokenizer can keep what it makes of it. */
const all = new WeakMap<Tokenizer, ReadonlySet<string>>()

const NONE: ReadonlySet<string> = new Set()

/** The special token that an encoding allows by default: the course's own. */
const END_OF_TEXT: ReadonlySet<string> = new Set(['<|endoftext|>'])

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
  if (given === undefined) return END_OF_TEXT
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
 * What is made of the added tokens that count under a set of allowed special tokens. Sets come again, so it is kept.
 *
 * @throws RangeError, when it is called, for a literal that is no special token
 */
export function byAllowed<Made>(
  tokens: readonly AddedToken[],
  make: (counted: readonly AddedToken[]) => Made,
): (allowed: ReadonlySet<string>) => Made {
  const special = specialTokensOf(tokens)
  const known = new WeakMap<ReadonlySet<string>, Made>()
  return (allowed) => {
    const found = known.get(allowed)
    if (found !== undefined) return found
    for (const literal of allowed)
      if (!special.has(literal))
        throw new RangeError(`${JSON.stringify(literal)} is no special token of this tokenizer`)
    const made = make(tokens.filter((token) => !token.special || allowed.has(token.content)))
    known.set(allowed, made)
    return made
  }
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

/** UTF-16 units encoded at a time: at most 192 KB of UTF-8. */
const SLICE = 65_536
/** Bytes written at a time. */
const SLICE_BYTES = 65_536
/** UTF-16 units of a text that is tokenized at once. */
const SHORT = 5_400
/** Most ids that can come at once: from a short text, or from one advance of a writer. */
export const STEP_IDS = 16_384

/** Bytes that a stream holds without counting: the slice being worked on, and what of it may go on in the next. */
const FREE_BYTES = 1 << 18
/** Memory of a byte that a stream holds back, while its buffer grows to twice its size. */
const HELD_COPIES = 3
/** Memory of a byte of a text that is held as a whole: the text itself, and a string of it. */
const WHOLE_COPIES = 3

const encoder = new TextEncoder()

/** A text, or its UTF-8 in parts, cut anywhere. */
export type Text = string | readonly Uint8Array[]

interface Pauses {
  /** To which they are added, behind those of earlier texts. */
  readonly ids?: TokenBuffer
  /** Called before each slice of work, a millisecond or less. @param bytes that ids and text take after it, at most */
  between?(bytes: number): Promise<void> | undefined
  readonly stop?: Stop | undefined
}

/**
 * The ids of a text, which may still arrive, with other work between its slices: `Hello, world!` in `gpt2` → [15496, 11,
 * 995, 0]. The text must be well-formed; that is checked elsewhere.
 */
export async function tokenizeAsync(
  tokenizer: Tokenizer,
  text: Text | AsyncIterable<Uint8Array>,
  options: StreamOptions,
  { ids = new TokenBuffer(), between, stop }: Pauses = {},
): Promise<TokenBuffer> {
  const wait = between?.(bytesAfter(ids)) // no wait, no other work before this
  if (wait !== undefined) await wait
  const isShort = typeof text === 'string' && text.length <= SHORT
  if (isShort && tokenizer.encodeShort?.(text, options, ids)) return ids
  const writer = new TextWriter(tokenizer, options, ids)
  const drain = async () => {
    do await between?.(bytesAfter(ids) + writer.bytes)
    while (writer.advance())
  }
  for await (const part of typeof text === 'string' ? utf8Slices(text) : text)
    for (const slice of utf8Slices([part])) {
      writer.write(slice)
      await drain()
    }
  await writer.end(stop)
  await drain()
  return ids
}

/** Bytes of `ids` after the next advance, at most. */
function bytesAfter(ids: TokenBuffer): number {
  return ids.byteLength + Int32Array.BYTES_PER_ELEMENT * STEP_IDS * (ids.ranges === undefined ? 1 : 3)
}

/** A text's UTF-8, 64 KiB or a few more at a time; a slice is valid until the next one. */
export function* utf8Slices(text: Text): Generator<Uint8Array, void, void> {
  if (typeof text !== 'string') {
    for (const part of text)
      for (let at = 0; at < part.length; at += SLICE_BYTES) yield part.subarray(at, at + SLICE_BYTES)
    return
  }
  const utf8 = Buffer.allocUnsafeSlow(3 * Math.min(text.length, SLICE)) // zeros would be written for nothing
  for (let start = 0; start < text.length; ) {
    const end = sliceEnd(text, start, SLICE)
    const { written } = encoder.encodeInto(text.slice(start, end), utf8)
    yield utf8.subarray(0, written)
    start = end
  }
}

/**
 * A text on its way to ids. Bytes are written, cut anywhere, and after each `write`, and after `end`, `advance` is called
 * until it returns false: `48 65`, `6c 6c 6f` in `gpt2` → [15496].
 *
 * The bytes must be valid UTF-8; that is checked elsewhere. The text is not held as a whole, unless the tokenizer must.
 */
export class TextWriter {
  readonly #stream: TokenStream
  #bytes = 0

  constructor(
    private readonly tokenizer: Tokenizer,
    options: StreamOptions,
    readonly ids = new TokenBuffer(),
  ) {
    this.#stream = tokenizer.stream(options)
  }

  /** Memory that the text takes now, beside the ids. */
  get bytes(): number {
    if (this.tokenizer.maxTextBytes !== undefined) return WHOLE_COPIES * this.#bytes
    const { heldBytes = 0 } = this.#stream
    return heldBytes > FREE_BYTES ? HELD_COPIES * heldBytes : 0
  }

  /**
   * Takes the next bytes of the text, 64 KiB or a few more. They stay as they are until `advance` returns false.
   *
   * @throws InletError `body_too_large` for a text that its tokenizer must hold as a whole and that is too long for it
   */
  write(slice: Uint8Array): void {
    const { maxTextBytes = Number.POSITIVE_INFINITY } = this.tokenizer
    this.#bytes += slice.length
    if (this.#bytes > maxTextBytes) {
      const message = `\`text\` must be at most ${maxTextBytes} bytes for ${nameOf(this.tokenizer)}. Given: ${this.#bytes} or more`
      throw new InletError('body_too_large', message, 'text')
    }
    this.#stream.write(slice)
  }

  /** No more bytes follow. A promise where the tokenizer is in another process: to be waited for before `advance`. */
  end(stop?: Stop): Promise<void> | undefined {
    return this.#stream.end(stop)
  }

  /** Does a millisecond of work or less, and adds at most {@link STEP_IDS} ids. @returns whether more can be done now */
  advance(): boolean {
    return this.#stream.advance(this.ids)
  }
}

/** About `units` UTF-16 units on from `start`, never between the two halves of a surrogate pair. */
export function sliceEnd(text: string, start: number, units: number): number {
  const end = start + units
  if (end >= text.length) return text.length
  return (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : end
}
