import { ADD_ENTRY, BEGINS, ENDS } from '../kernels/learning-kernels.js'
import { PAUSE, type Steps } from '../steps.js'
import type { LearningMemory, RowPool } from './learning-memory.js'

/** Float64 numbers in an entry. */
const WIDE_ENTRY = ADD_ENTRY / 2

/**
 * Sums of gradients by row of a table, each from zero, float32. Only rows with a gradient take memory, besides an
 * int32 for each row of the table.
 */
export class RowSums {
  readonly #pool: RowPool
  /** The index of a row's sum in {@link #touched}, from 1; 0: the row has none. */
  #placeOf: Int32Array
  #touched = new TouchedRows()

  constructor(
    private readonly memory: LearningMemory,
    tableRows: number,
    /** C */
    readonly dim: number,
  ) {
    this.#pool = memory.pool(dim)
    this.#placeOf = memory.takePlaces(tableRows)
  }

  /** The rows with a sum, in the order of their first gradients. */
  get rows(): Int32Array {
    return this.#touched.rows.subarray(0, this.#touched.count)
  }

  /** The addresses of their sums. */
  get pointers(): Uint32Array {
    return this.#touched.pointers.subarray(0, this.#touched.count)
  }

  /** The address of a row's sum; 0 where the row has not come. */
  pointerOf(row: number): number {
    const place = this.#placeOf[row]
    return place === 0 ? 0 : this.#touched.pointers[place - 1]
  }

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
    const placeOf = this.#placeOf
    const rowBytes = 4 * this.dim
    let count = 0
    for (let i = 0; i < ids.length; i++) {
      const row = ids[i]
      if (row < 0) continue
      const begins = placeOf[row] === 0
      if (begins) this.#newRow(row)
      const place = placeOf[row] - 1
      const at = count++ * ADD_ENTRY
      entries[at] = this.#touched.pointers[place]
      entries[at + 1] = source + i * rowBytes
      entries[at + 2] = (begins ? BEGINS : 0) | (ends?.[i] === 1 ? ENDS : 0)
      entries[at + 3] = place
    }
    this.#add(count)
  }

  /** Adds the sums of `other`, row by row. `other` is empty then. */
  *take(other: RowSums): Steps<void> {
    if (this.#touched.count === 0) {
      this.#swap(other)
      return
    }
    const { entries } = this.memory
    const most = this.memory.tileRows(this.dim)
    const { rows, pointers } = other
    for (let start = 0; start < rows.length; start += most) {
      if (start > 0) yield PAUSE
      const count = Math.min(most, rows.length - start)
      for (let i = 0; i < count; i++) {
        const row = rows[start + i]
        const begins = this.#placeOf[row] === 0
        if (begins) this.#newRow(row)
        const place = this.#placeOf[row] - 1
        entries[i * ADD_ENTRY] = this.#touched.pointers[place]
        entries[i * ADD_ENTRY + 1] = pointers[start + i]
        entries[i * ADD_ENTRY + 2] = begins ? BEGINS | ENDS : ENDS
        entries[i * ADD_ENTRY + 3] = place
      }
      this.#add(count)
    }
    other.clear()
  }

  /** Σ x² over all rows, in float64: row by row, in their order. */
  *squares(): Steps<number> {
    const { count: total, squares, pointers } = this.#touched
    const unknown: number[] = []
    for (let place = 0; place < total; place++) if (Number.isNaN(squares[place])) unknown.push(place)
    const { entries, wideEntries, entriesPointer, kernels } = this.memory
    const most = this.memory.tileRows(this.dim)
    for (let start = 0; start < unknown.length; start += most) {
      if (start > 0) yield PAUSE
      const count = Math.min(most, unknown.length - start)
      for (let i = 0; i < count; i++) entries[i * ADD_ENTRY] = pointers[unknown[start + i]]
      kernels.squaresOfRows(entriesPointer, count, this.dim)
      for (let i = 0; i < count; i++) squares[unknown[start + i]] = wideEntries[i * WIDE_ENTRY]
    }
    let sum = 0
    for (let place = 0; place < total; place++) sum += squares[place]
    return sum
  }

  /** The numbers of a row's sum, for writing; a new row is added. */
  changed(row: number): Float32Array {
    if (this.#placeOf[row] === 0) this.#newRow(row)
    this.#touched.squares[this.#placeOf[row] - 1] = Number.NaN
    return this.numbersOf(row)
  }

  /** Gives all rows back. */
  clear(): void {
    const { count, rows, pointers } = this.#touched
    for (let i = count - 1; i >= 0; i--) {
      this.#placeOf[rows[i]] = 0
      this.#pool.give(pointers[i])
    }
    this.#touched.count = 0
  }

  /** Gives everything back, once: the sums are used no more. */
  release(): void {
    this.clear()
    if (this.#placeOf.length > 0) this.memory.givePlaces(this.#placeOf)
    this.#placeOf = new Int32Array(0)
  }

  /** Runs the kernel over so many entries, the last number of each of which is the place of its sum. */
  #add(count: number): void {
    const { entries, wideEntries, entriesPointer, kernels } = this.memory
    const { squares } = this.#touched
    kernels.addRows(entriesPointer, count, this.dim)
    for (let i = 0; i < count; i++) {
      const at = i * ADD_ENTRY
      const ends = (entries[at + 2] & ENDS) !== 0
      squares[entries[at + 3]] = ends ? wideEntries[i * WIDE_ENTRY] : Number.NaN
    }
  }

  #newRow(row: number): void {
    this.#placeOf[row] = this.#touched.add(row, this.#pool.take())
  }

  #swap(other: RowSums): void {
    const [placeOf, came] = [this.#placeOf, this.#touched]
    this.#placeOf = other.#placeOf
    this.#touched = other.#touched
    other.#placeOf = placeOf
    other.#touched = came
  }
}

const FIRST_ROWS = 64

/**
 * The touched rows of a table, in order of arrival. Growing typed arrays: loops over them are the main cost of a
 * call.
 */
export class TouchedRows {
  count = 0
  /** The row's number in the table. */
  rows = new Int32Array(FIRST_ROWS)
  /** The address of its sum. */
  pointers = new Uint32Array(FIRST_ROWS)
  /** Σ x² of the sum in float64; NaN: it is not known. */
  squares = new Float64Array(FIRST_ROWS)

  /** Adds a row whose squares are not known. @returns how many there are now */
  add(row: number, pointer: number): number {
    if (this.count === this.rows.length) this.#grow()
    this.rows[this.count] = row
    this.pointers[this.count] = pointer
    this.squares[this.count] = Number.NaN
    return ++this.count
  }

  #grow(): void {
    const [{ rows, pointers, squares }, length] = [this, 2 * this.count]
    this.rows = new Int32Array(length)
    this.rows.set(rows)
    this.pointers = new Uint32Array(length)
    this.pointers.set(pointers)
    this.squares = new Float64Array(length)
    this.squares.set(squares)
  }
}
