import type { Model } from '../embeddings/model.js'
import type { TablePlace } from '../embeddings/table-memory.js'

/** Stands for a sum of squares that float32 cannot hold: the smallest number above 0. */
const TINY = 2 ** -149

/**
 * The sums of squares of a table's rows, in the steps of a search: the first search makes them, with the kernel, and leaves
 * them for those that follow.
 */
export class SquaresInSteps {
  readonly #squares: Float32Array
  readonly #isKnown: boolean

  constructor(
    private readonly model: Model,
    private readonly place: TablePlace,
  ) {
    const { squares, isKnown } = model.rowSquares(place)
    this.#squares = squares
    this.#isKnown = isKnown
  }

  /** Where the kernel is to write those of a step; 0: nowhere, they are known. */
  get out(): number {
    return this.#isKnown ? 0 : this.model.workspace.unprojected.byteOffset
  }

  /** Those of `count` rows from `first` on, after the kernel has run; 0 only for rows of zeros. */
  take(first: number, count: number): Float32Array {
    if (!this.#isKnown) {
      const made = this.model.workspace.unprojected.subarray(0, count)
      // Other threads may read and write these squares meanwhile: all write the same values.
      for (let i = 0; i < count; i++) if (made[i] === 0 && !this.#isZeros(first + i)) made[i] = TINY
      this.#squares.set(made, first)
    }
    return this.#squares.subarray(first, first + count)
  }

  /** Call it when all rows from `firstRow` on were taken. */
  end(firstRow: number): void {
    if (!this.#isKnown && firstRow === 0) this.model.keepRowSquares(this.place)
  }

  #isZeros(row: number): boolean {
    const width = this.place.shape[1]!
    const numbers = this.model.numbers(this.place)
    for (let at = row * width; at < (row + 1) * width; at++) if (numbers[at] !== 0) return false
    return true
  }
}
