import { ADD_ENTRY, BEGINS, ENDS } from '../kernels/learning-kernels.js'
import { PAUSE, type Steps } from '../steps.js'
import type { LearningMemory } from './learning-memory.js'
import type { RowPool } from './row-pool.js'

/** Float64 numbers in an entry. */
const WIDE_ENTRY = ADD_ENTRY / 2

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
  /** Σ x² of each row in float64; NaN: it is not known. */
  #squares: number[] = []

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
   *
   * @param ends 1 for those that are the last ones of their rows: a sum's squares are known then
   */
  addTile(ids: Int32Array, source: number, ends?: Uint8Array): void {
    const { entries } = this.memory
    const rowBytes = 4 * this.dim
    const places: number[] = []
    for (let i = 0; i < ids.length; i++) {
      const row = ids[i]
      if (row < 0) continue
      const begins = this.#placeOf[row] === 0
      if (begins) this.#newRow(row)
      const place = this.#placeOf[row] - 1
      const at = places.push(place) * ADD_ENTRY - ADD_ENTRY
      entries[at] = this.#pointers[place]
      entries[at + 1] = source + i * rowBytes
      entries[at + 2] = (begins ? BEGINS : 0) | (ends?.[i] === 1 ? ENDS : 0)
    }
    this.#add(places)
  }

  /** Adds the sums of `other`, row by row. `other` is empty then. */
  *take(other: RowSums): Steps<void> {
    if (this.#rows.length === 0) {
      this.#swap(other)
      return
    }
    const { entries } = this.memory
    const most = this.memory.tileRows(this.dim)
    for (let start = 0; start < other.#rows.length; start += most) {
      if (start > 0) yield PAUSE
      const count = Math.min(most, other.#rows.length - start)
      const places: number[] = []
      for (let i = 0; i < count; i++) {
        const row = other.#rows[start + i]
        const begins = this.#placeOf[row] === 0
        if (begins) this.#newRow(row)
        const place = this.#placeOf[row] - 1
        places.push(place)
        entries[i * ADD_ENTRY] = this.#pointers[place]
        entries[i * ADD_ENTRY + 1] = other.#pointers[start + i]
        entries[i * ADD_ENTRY + 2] = begins ? BEGINS | ENDS : ENDS
      }
      this.#add(places)
    }
    other.clear()
  }

  /** Σ x² over all rows, in float64: row by row, in their order. */
  *squares(): Steps<number> {
    const unknown: number[] = []
    for (let place = 0; place < this.#squares.length; place++) {
      if (Number.isNaN(this.#squares[place])) unknown.push(place)
    }
    const { entries, wideEntries, entriesPointer, kernels } = this.memory
    const most = this.memory.tileRows(this.dim)
    for (let start = 0; start < unknown.length; start += most) {
      if (start > 0) yield PAUSE
      const count = Math.min(most, unknown.length - start)
      for (let i = 0; i < count; i++) entries[i * ADD_ENTRY] = this.#pointers[unknown[start + i]]
      kernels.squaresOfRows(entriesPointer, count, this.dim)
      for (let i = 0; i < count; i++) this.#squares[unknown[start + i]] = wideEntries[i * WIDE_ENTRY]
    }
    let sum = 0
    for (const square of this.#squares) sum += square
    return sum
  }

  /** The numbers of a row, to be written; it may not have come before. */
  changed(row: number): Float32Array {
    if (this.#placeOf[row] === 0) this.#newRow(row)
    this.#squares[this.#placeOf[row] - 1] = Number.NaN
    return this.numbersOf(row)
  }

  /** Gives all rows back. */
  clear(): void {
    for (let i = this.#rows.length - 1; i >= 0; i--) {
      this.#placeOf[this.#rows[i]] = 0
      this.#pool.give(this.#pointers[i])
    }
    this.#rows = []
    this.#pointers = []
    this.#squares = []
  }

  /** Gives everything back, once: the sums are used no more. */
  release(): void {
    this.clear()
    if (this.#placeOf.length > 0) this.memory.givePlaces(this.#placeOf)
    this.#placeOf = new Int32Array(0)
  }

  /** Runs the kernel over the entries of sums at these places. */
  #add(places: readonly number[]): void {
    const { entries, wideEntries, entriesPointer, kernels } = this.memory
    kernels.addRows(entriesPointer, places.length, this.dim)
    for (let i = 0; i < places.length; i++) {
      const ends = (entries[i * ADD_ENTRY + 2] & ENDS) !== 0
      this.#squares[places[i]] = ends ? wideEntries[i * WIDE_ENTRY] : Number.NaN
    }
  }

  #newRow(row: number): void {
    const pointer = this.#pool.take()
    this.#rows.push(row)
    this.#pointers.push(pointer)
    this.#squares.push(Number.NaN)
    this.#placeOf[row] = this.#rows.length
  }

  #swap(other: RowSums): void {
    const [placeOf, rows, pointers, squares] = [this.#placeOf, this.#rows, this.#pointers, this.#squares]
    this.#placeOf = other.#placeOf
    this.#rows = other.#rows
    this.#pointers = other.#pointers
    this.#squares = other.#squares
    other.#placeOf = placeOf
    other.#rows = rows
    other.#pointers = pointers
    other.#squares = squares
  }
}
