import { InletError } from '../errors.js'
import { Reserved } from '../reserved.js'
import { nameOf, type Tokenizer } from './tokenizer.js'

/** Bytes of memory that a byte of a text takes where it is held as a whole: the text itself, and a string of it. */
const HELD_BYTES = 3

/**
 * The bound and the memory of a text that its tokenizer must hold as a whole (`Tokenizer.maxTextBytes`). For any
 * other tokenizer it does nothing.
 */
export class WholeText {
  readonly #room = new Reserved()
  #bytes = 0

  constructor(private readonly tokenizer: Tokenizer) {}

  /**
   * The bytes to reserve when `bytes` more of the text have come.
   *
   * @throws InletError `body_too_large` for a text beyond the bound
   */
  grow(bytes: number): number {
    const { maxTextBytes } = this.tokenizer
    if (maxTextBytes === undefined) return 0
    this.#bytes += bytes
    if (this.#bytes <= maxTextBytes) return this.#room.reach(HELD_BYTES * this.#bytes)
    const message = `\`text\` must be at most ${maxTextBytes} bytes for ${nameOf(this.tokenizer)}. Given: ${this.#bytes} or more`
    throw new InletError('body_too_large', message, 'text')
  }

  /** The bytes to give back when the text is held no longer. */
  settle(): number {
    return this.#room.settle(0)
  }
}
