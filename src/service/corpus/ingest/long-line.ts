import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import { InletError } from '../../answer/error-table.js'

/** Bytes that are kept from line to line. */
const KEPT_BYTES = 1 << 17
/** Bytes copied in one step. */
const COPIED_BYTES = 1 << 18

/** Memory that is kept for the next long line. */
export const LONG_LINE_BYTES = KEPT_BYTES

/** Puts a line together that comes in parts; its memory is reserved as it grows. */
export class LongLine {
  #kept: Buffer | undefined
  #bytes: Buffer = Buffer.alloc(0)
  #length = 0

  /** @param most bytes of a line */
  constructor(private readonly most: number) {}

  /** The line so far, valid until {@link end}. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** @throws InletError `body_too_large` */
  *append(part: Buffer): Steps<void> {
    const length = this.#length + part.length
    if (length > this.most) {
      const message = `the line must be at most ${this.most} bytes. Given: more`
      throw new InletError('body_too_large', message)
    }
    if (this.#length === 0) this.#bytes = this.#kept ??= Buffer.allocUnsafeSlow(KEPT_BYTES)
    if (length > this.#bytes.length) yield* this.#grow(Math.min(2 * length, Math.max(length, this.most)))
    part.copy(this.#bytes, this.#length)
    this.#length = length
  }

  /** Forgets the line. */
  *end(): Steps<void> {
    const unused = this.#bytes === this.#kept ? 0 : this.#bytes.length
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
    if (unused > 0) yield -unused
  }

  *#grow(capacity: number): Steps<void> {
    yield capacity
    const old = this.#bytes
    const bytes = Buffer.allocUnsafeSlow(capacity)
    for (let at = 0; at < this.#length; at += COPIED_BYTES) {
      old.copy(bytes, at, at, Math.min(at + COPIED_BYTES, this.#length))
      yield PAUSE
    }
    this.#bytes = bytes
    if (old !== this.#kept) yield -old.length
  }
}
