import { InletError } from '../../errors.js'
import type { Claim } from '../../load/claim.js'
import { Reservation } from '../../load/reservation.js'
import { nameOf, type Tokenizer } from './tokenizer.js'

/** Bytes of memory that a byte of a text takes where it is held as a whole: the text itself, and a string of it. */
const HELD_BYTES = 3

/**
 * The bound and the memory of a text that its tokenizer must hold as a whole (`Tokenizer.maxTextBytes`). For any
 * other tokenizer it does nothing.
 */
export class WholeText {
  readonly #room: Reservation | undefined
  #bytes = 0

  constructor(
    private readonly tokenizer: Tokenizer,
    claim: Claim,
  ) {
    if (tokenizer.maxTextBytes !== undefined) this.#room = new Reservation(claim)
  }

  /**
   * `bytes` more of the text have come. Undefined where there is memory for them at once.
   *
   * @throws InletError `body_too_large` for a text beyond the bound
   */
  grow(bytes: number): Promise<void> | undefined {
    const { maxTextBytes } = this.tokenizer
    if (this.#room === undefined || maxTextBytes === undefined) return undefined
    this.#bytes += bytes
    if (this.#bytes <= maxTextBytes) return this.#room.reach(HELD_BYTES * this.#bytes)
    const message = `\`text\` must be at most ${maxTextBytes} bytes for ${nameOf(this.tokenizer)}. Given: ${this.#bytes} or more`
    throw new InletError('body_too_large', message, 'text')
  }

  /** The text is not held any more. */
  settle(): void {
    this.#room?.settle(0)
  }
}
