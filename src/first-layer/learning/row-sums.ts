import { ADD_ENTRY } from '../kernels/learning-kernels.js'
import { PAUSE, type Steps } from '../steps.js'
import type { LearningMemory } from './learning-memory.js'
import type { RowPool } from './row-pool.js'

/**
 * Sums of gradients by row of a table, each from zero, float32. Only rows that came take memory, but for an int32 for each
 * row of the table.
 */
export class RowSums {
  readonly #pool: RowPool
  /** Where a row's sum stands among {@link #rows}, from 1; 0: the row has not come. */
  #placeOf: Int32Array
  #rows: number[] = []
  #pointers: number[] = []

  constructor(
    private readonly memory: LearningMemory,
    /** Rows of the table. */
    tableRows: number,
    /** C */
    readonly dim: number,
  ) {
    this.#pool = memory.pool(dim)
    this.#placeOf = memory.takePlaces(tableRows)
  }

  /** The rows that came, in the order in which they did. */
  get rows(): readonly number[] {
    return this.#rows
  }

  /** The address of a row's sum; 0 where the row has not come. */
  pointerOf(row: number): number {
    const place = this.#placeOf[row]
    return place === 0 ? 0 : this.#pointers[place - 1]
  }

  /** The numbers of a row that came. */
  numbersOf(row: number): Float32Array {
    return this.memory.memory.float32(this.pointerOf(row), this.dim)
  }

  /**
   * Adds contributions one after the other, at most a tile: the one at `source + i` rows to the row `ids[i]`. A negative
   * id adds nothing.
   */
  addTile(ids: Int32Array, source: number): void {
    const { entries, entriesPointer, kernels } = this.memory
    const rowBytes = 4 * this.dim
    let at = 0
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]
      if (id < 0) continue
      const isFirst = this.#placeOf[id] === 0
      entries[at] = isFirst ? this.#newRow(id) : this.#pointers[this.#placeOf[id] - 1]
      entries[at + 1] = source + i * rowBytes
      entries[at + 2] = isFirst ? 1 : 0
      at += ADD_ENTRY
    }
    kernels.addRows(entriesPointer, at / ADD_ENTRY, this.dim)
  }

  /** Adds the sums of `other`, row by row. `other` is empty then. */
  *take(other: RowSums): Steps<void> {
    if (this.#rows.length === 0) {
      this.#swap(other)
      return
    }
    const { entries, entriesPointer, kernels } = this.memory
    const most = this.memory.tileRows(this.dim)
    for (let start = 0; start < other.#rows.length; start += most) {
      if (start > 0) yield PAUSE
      const count = Math.min(most, other.#rows.length - start)
      for (let i = 0; i < count; i++) {
        const row = other.#rows[start + i]
        const isFirst = this.#placeOf[row] === 0
        entries[i * ADD_ENTRY] = isFirst ? this.#newRow(row) : this.#pointers[this.#placeOf[row] - 1]
        entries[i * ADD_ENTRY + 1] = other.#pointers[start + i]
        entries[i * ADD_ENTRY + 2] = isFirst ? 1 : 0
      }
      kernels.addRows(entriesPointer, count, this.dim)
    }
    other.clear()
  }

  /** Σ x² over all rows, in float64. */
  *squares(): Steps<number> {
    const { entries, entriesPointer, kernels } = this.memory
    const most = this.memory.tileRows(this.dim)
    let sum = 0
    for (let start = 0; start < this.#rows.length; start += most) {
      if (start > 0) yield PAUSE
      const count = Math.min(most, this.#rows.length - start)
      for (let i = 0; i < count; i++) entries[i] = this.#pointers[start + i]
      sum += kernels.squaresOfRows(entriesPointer, count, this.dim)
    }
    return sum
  }

  /** Puts a row there as it is. */
  set(row: number, numbers: Float32Array): void {
    const pointer = this.pointerOf(row) || this.#newRow(row)
    this.memory.memory.float32(pointer, this.dim).set(numbers)
  }

  /** Gives all rows back. */
  clear(): void {
    for (let i = this.#rows.length - 1; i >= 0; i--) {
      this.#placeOf[this.#rows[i]] = 0
      this.#pool.give(this.#pointers[i])
    }
    this.#rows = []
    this.#pointers = []
  }

  /** Gives everything back, once: the sums are used no more. */
  release(): void {
    this.clear()
    if (this.#placeOf.length > 0) this.memory.givePlaces(this.#placeOf)
    this.#placeOf = new Int32Array(0)
  }

  #newRow(row: number): number {
    const pointer = this.#pool.take()
    this.#rows.push(row)
    this.#pointers.push(pointer)
    this.#placeOf[row] = this.#rows.length
    return pointer
  }

  #swap(other: RowSums): void {
    const [placeOf, rows, pointers] = [this.#placeOf, this.#rows, this.#pointers]
    this.#placeOf = other.#placeOf
    this.#rows = other.#rows
    this.#pointers = other.#pointers
    other.#placeOf = placeOf
    other.#rows = rows
    other.#pointers = pointers
  }
}
