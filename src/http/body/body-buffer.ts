import { InletError } from '../../errors.js'
import type { Claim } from '../../load/claim.js'
import { SMALL_BODY_BYTES } from '../../load/request-claim.js'
import { Reservation } from '../../load/reservation.js'
import { isTurnOver, nextTurn } from '../../turn.js'
import { invalidUtf8Offset, Utf8Checker } from '../../wire/utf8.js'

/** Bytes copied between two looks at the clock. */
const COPY_BYTES = 1 << 18

/** The kind of bytes in a body: UTF-8 is checked as it arrives. */
export type BodyContent = 'UTF-8' | 'bytes'

/**
 * Gathers a body in one buffer. Its memory is reserved before it is allocated: as many bytes as
 * `Content-Length` gives, or in steps of 64 KiB where the length is not known.
 */
export class BodyBuffer {
  readonly #room: Reservation
  #bytes: Buffer | undefined
  #length = 0
  #utf8: Utf8Checker | undefined

  /**
   * @param expected bytes of the whole body, which the caller has reserved; 0 where its length is unknown
   * @param content UTF-8 is checked
   */
  constructor(
    private readonly claim: Claim,
    private readonly expected: number,
    private readonly content: BodyContent = 'UTF-8',
  ) {
    this.#room = new Reservation(claim, SMALL_BODY_BYTES)
  }

  get length(): number {
    return this.#length
  }

  /**
   * Adds the next bytes; a character may be cut between two chunks. Undefined where no wait is needed.
   *
   * @throws InletError `invalid_unicode` with the byte offset: of a large body at once, of a small one in `end`
   */
  write(chunk: Buffer): Promise<void> | undefined {
    const length = this.#length + chunk.length
    const wait = length > this.expected ? this.#room.reach(length) : undefined
    return wait === undefined ? this.#put(chunk) : wait.then(() => this.#put(chunk))
  }

  /** The whole body. @throws InletError `invalid_unicode` with the byte offset */
  end(): Buffer {
    this.#room.settle(this.#length)
    const bytes = this.#bytes?.subarray(0, this.#length) ?? Buffer.alloc(0)
    if (this.content === 'UTF-8')
      refuse(this.#utf8 === undefined ? invalidUtf8Offset(bytes) : this.#utf8.end())
    return bytes
  }

  #put(chunk: Buffer): Promise<void> | undefined {
    const length = this.#length + chunk.length
    if (this.#bytes === undefined && length >= this.expected) {
      this.#bytes = chunk // most bodies are one small chunk
      this.#added(length)
      return undefined
    }
    if (this.#length > COPY_BYTES && length > this.#capacity) {
      return this.#moveInTurns(2 * this.#length).then(() => this.#append(chunk))
    }
    if (length > this.#capacity) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.expected, 2 * this.#length, length))
      this.#bytes?.copy(larger)
      this.#bytes = larger
    }
    return this.#append(chunk)
  }

  get #capacity(): number {
    return this.#bytes?.length ?? 0
  }

  #append(chunk: Buffer): undefined {
    this.#bytes?.set(chunk, this.#length)
    this.#added(this.#length + chunk.length)
  }

  #added(length: number): void {
    const before = this.#utf8 === undefined ? 0 : this.#length
    this.#length = length
    if (length <= SMALL_BODY_BYTES || this.content !== 'UTF-8') return // a small body is checked as a whole, at the end
    this.#utf8 ??= new Utf8Checker()
    refuse(this.#utf8.check((this.#bytes as Buffer).subarray(before, length)))
  }

  /** Copies the bytes so far to a larger buffer, in short turns; both buffers are held meanwhile. */
  async #moveInTurns(capacity: number): Promise<void> {
    await this.claim.take(this.#length)
    const larger = Buffer.allocUnsafeSlow(capacity)
    for (let at = 0; at < this.#length; at += COPY_BYTES) {
      if (isTurnOver()) await nextTurn(this.claim)
      this.#bytes?.copy(larger, at, at, Math.min(at + COPY_BYTES, this.#length))
    }
    this.#bytes = larger
    this.claim.give(this.#length)
  }
}

function refuse(invalid: number): void {
  if (invalid < 0) return
  throw new InletError('invalid_unicode', `The body must be UTF-8: byte ${invalid} is not.`)
}
