import type { ShortTexts } from '../short-texts.js'
import type { TokenBuffer } from '../token-buffer.js'
import type { BytePairKernel } from './byte-pair-kernel.js'
import type { Literals } from './literals.js'

/** Bytes searched for a literal at a time. */
const SEARCHED_BYTES = 16_384

/** Gives short texts to the kernel as they are; one in which a literal begins needs a stream. */
export class ShortDocuments implements ShortTexts {
  #utf8: Buffer = Buffer.alloc(0)
  /** No literal begins from the last text's start up to this place. */
  #searched = 0
  /** Whether one begins there. */
  #isLiteral = false

  constructor(
    private readonly kernel: BytePairKernel,
    private readonly literals: Literals,
  ) {}

  lieIn(utf8: Buffer): void {
    this.#utf8 = utf8
    this.#searched = 0
    this.#isLiteral = false
  }

  encode(start: number, end: number, ids: TokenBuffer): boolean {
    return this.#isPlain(start, end) && this.kernel.encodeBytes(this.#utf8, start, end, ids)
  }

  #isPlain(start: number, end: number): boolean {
    if (start > this.#searched) {
      this.#searched = start
      this.#isLiteral = false
    }
    while (this.#searched < end && !this.#isLiteral) {
      const until = Math.min(this.#utf8.length, this.#searched + SEARCHED_BYTES)
      const { at, token } = this.literals.search(this.#utf8, this.#searched, until, SEARCHED_BYTES)
      this.#searched = at
      this.#isLiteral = token !== undefined
    }
    return this.#searched >= end
  }
}
