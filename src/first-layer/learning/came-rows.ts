/** Rows at the beginning. */
const FIRST_ROWS = 64

/** Rows of a table that have come, in their order: typed arrays, which grow, since loops over them are the cost of a call. */
export class CameRows {
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
