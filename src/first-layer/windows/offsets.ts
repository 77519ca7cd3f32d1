const BLOCK_BITS = 16
const BLOCK = 1 << BLOCK_BITS

/**
 * A growable list of places in something large: blocks of 65,536, so that a list of millions grows without ever
 * copying what it holds. Eight bytes each.
 */
export class Offsets {
  readonly #blocks: number[][] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  push(offset: number): void {
    const block = this.#length++ & (BLOCK - 1)
    if (block === 0) this.#blocks.push([offset])
    else this.#blocks[this.#blocks.length - 1]!.push(offset)
  }

  /** The offset at `index`, which must be in 0 … length − 1. */
  at(index: number): number {
    return this.#blocks[index >>> BLOCK_BITS]![index & (BLOCK - 1)]!
  }
}
