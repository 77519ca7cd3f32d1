import { InletError } from '../errors.js'
import { PAUSE, type Steps } from '../steps.js'
import { type Boundary, isBoundary } from './text-boundary.js'

/** Bytes that the cuts of a text take for each of its tokens. */
export const CUT_BYTES = 16
/** Tokens looked at between two pauses. */
const STEP_TOKENS = 2048
/** Bytes of text looked at between two pauses. */
const STEP_BYTES = 1 << 16

/** Where the tokens of a text stand in its UTF-8. */
export interface TokenPlaces {
  readonly count: number
  /** First byte of token i, and the byte behind it. Asked for in order. */
  start(i: number): number
  end(i: number): number
}

/**
 * The places at which a text may be cut, in order: before its first token, between two tokens where no character and no
 * token stands across, and behind its last one. What lies between two tokens, as the white space that WordPiece drops,
 * is the first one's.
 */
export class Cuts {
  count = 0
  /** Tokens before each cut, bytes before it, code points before it. */
  readonly tokens: Int32Array
  readonly bytes: Int32Array
  readonly characters: Int32Array
  /** The numbers of the cuts of preference, in order. */
  readonly preferred: Int32Array
  preferredCount = 0

  /** @param most cuts */
  constructor(most: number) {
    this.tokens = new Int32Array(most)
    this.bytes = new Int32Array(most)
    this.characters = new Int32Array(most)
    this.preferred = new Int32Array(most)
  }

  /** Adds a cut; one at the same byte as the last one takes its place, unless that is the first. */
  add(token: number, byte: number, character: number, isPreferred: boolean): void {
    if (this.count > 1 && this.bytes[this.count - 1] === byte) {
      this.count--
      if (this.preferred[this.preferredCount - 1] === this.count) this.preferredCount--
    }
    const i = this.count++
    this.tokens[i] = token
    this.bytes[i] = byte
    this.characters[i] = character
    if (isPreferred) this.preferred[this.preferredCount++] = i
  }
}

/**
 * Finds the places at which a text may be cut.
 *
 * @param text UTF-8, not empty
 * @throws InletError `unsupported_combination` where a token's place is not within the text
 */
export function* cutsOf(text: Uint8Array, places: TokenPlaces, boundary: Boundary): Steps<Cuts> {
  const cuts = new Cuts(places.count + 2)
  const counter = new CharacterCounter(text)
  cuts.add(0, 0, 0, true)
  let behind = 0 // the byte behind all tokens so far
  for (let i = 0; i < places.count; i++) {
    if (i % STEP_TOKENS === 0) yield PAUSE
    const [start, end] = [places.start(i), places.end(i)]
    if (!(start >= 0 && start <= end && end <= text.length)) throw unknownPlace(i)
    if (start > 0 && start >= behind && start < text.length && !continues(text[start]!)) {
      const characters = yield* counter.before(start)
      cuts.add(i, start, characters, isBoundary(text, start, boundary))
    }
    behind = Math.max(behind, end)
  }
  cuts.add(places.count, text.length, yield* counter.before(text.length), true)
  return cuts
}

/** Counts the code points of a text from place to place. */
class CharacterCounter {
  #at = 0
  #characters = 0

  constructor(private readonly text: Uint8Array) {}

  /** @param end at least that of the call before */
  *before(end: number): Steps<number> {
    while (this.#at < end) {
      const stop = Math.min(end, this.#at + STEP_BYTES)
      for (; this.#at < stop; this.#at++) if (!continues(this.text[this.#at]!)) this.#characters++
      if (stop < end) yield PAUSE
    }
    return this.#characters
  }
}

/** Whether a byte goes on with a character. */
function continues(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

function unknownPlace(token: number): InletError {
  const message = `\`text\` must have known places of its tokens, and the tokenizer does not tell that of token ${token}`
  return new InletError('unsupported_combination', message, 'text')
}
