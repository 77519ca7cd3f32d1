import type { DocumentIds, ShortTexts } from '../short-texts.js'
import type { BytePairKernel } from './byte-pair-kernel.js'
import type { Literals } from './literals.js'

/** Gives short texts to the kernel as they are; one in which a literal begins needs a stream. */
export class ShortDocuments implements ShortTexts {
  constructor(
    private readonly kernel: BytePairKernel,
    private readonly literals: Literals,
  ) {}

  encode(utf8: Buffer, bounds: Int32Array, first: number, count: number, into: DocumentIds): number {
    const plain = this.#plainUpTo(utf8, bounds, first, count)
    return plain === first ? 0 : this.kernel.encodeDocuments(utf8, bounds, first, plain, into)
  }

  /** The number of the first text in which a literal begins; `count`: there is none. */
  #plainUpTo(utf8: Buffer, bounds: Int32Array, first: number, count: number): number {
    const last = bounds[2 * count - 1]!
    for (let text = first, at = bounds[2 * first]!; ; ) {
      const found = this.literals.search(utf8, at, last, last - at)
      while (text < count && bounds[2 * text + 1]! <= found.at) text++
      if (text === count) return count
      if (found.token !== undefined && bounds[2 * text]! <= found.at) return text
      at = found.token === undefined ? found.at : bounds[2 * text]! // it began between two texts
    }
  }
}
