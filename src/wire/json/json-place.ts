import type { InletError } from '../../errors.js'
import type { Steps } from '../../first-layer/steps.js'
import { isSpace } from './characters.js'
import { invalidJson } from './invalid-json.js'

/** Bytes of JSON read in one step: a tenth of a millisecond. */
export const STEP_BYTES = 16_384
/** Bytes of short members and elements between two pauses: at most a quarter of a millisecond. */
const PAUSE_BYTES = 4096
/** A body up to this length is read without a pause, and without reserving: 0.1 ms of work. */
const SMALL_BYTES = STEP_BYTES

/**
 * Work that is done at once where it can be, which a small body's always is: undefined then, else the steps that
 * remain. A small request makes no generator for each of its members.
 */
export type Rest = Steps<unknown> | undefined

/** A place in a body of JSON that moves forward. The body is UTF-8. */
export class JsonPlace {
  at = 0
  #paused = 0

  constructor(readonly bytes: Buffer) {}

  /** Whether the body is so short that its reader never pauses. */
  get isSmall(): boolean {
    return this.bytes.length <= SMALL_BYTES
  }

  /** The byte here; undefined at the end of the body. */
  get byte(): number | undefined {
    return this.bytes[this.at]
  }

  /** Moves behind white space, at most {@link STEP_BYTES} of it: `while (cursor.skipSpace()) yield PAUSE`. */
  skipSpace(): boolean {
    const { bytes } = this
    if (!isSpace(bytes[this.at])) return false
    const stop = Math.min(this.at + STEP_BYTES, bytes.length)
    let at = this.at
    while (at < stop && isSpace(bytes[at])) at++
    this.at = at
    return at === stop && at < bytes.length
  }

  /** Whether enough has been read since the last pause. */
  isPauseDue(): boolean {
    if (this.at - this.#paused < PAUSE_BYTES || this.isSmall) return false
    this.#paused = this.at
    return true
  }

  /** Moves behind a byte, where it stands here. */
  take(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false
    this.at++
    return true
  }

  /** Moves behind a byte. @throws InletError `invalid_json` where another one stands here */
  expect(byte: number): void {
    if (!this.take(byte)) throw this.invalid()
  }

  invalid(): InletError {
    return invalidJson(this.bytes, this.at)
  }
}
