/**
 * Sums of gradients by row of a table, each from zero, float32, in the order in which the rows came. Only rows that came take
 * memory.
 */
export class RowSums {
  readonly rows: number[] = []
  /** Where a row is in {@link rows}. */
  readonly #placeOf = new Map<number, number>()
  #numbers = new Float32Array(0)
  /** Σ x² of each row in float64, known after {@link addAll}. */
  readonly #squares: number[] = []

  /** @param dim C */
  constructor(readonly dim: number) {}

  get bytes(): number {
    return this.#numbers.byteLength
  }

  /** Σ x² over all rows, in float64: row by row. */
  get squares(): number {
    return this.#squares.reduce((sum, square) => sum + square, 0)
  }

  /** A row's sum, until rows are added; undefined where the row has not come. */
  numbersOf(row: number): Float32Array | undefined {
    const place = this.#placeOf.get(row)
    return place === undefined ? undefined : this.#numbers.subarray(place * this.dim, (place + 1) * this.dim)
  }

  /** Bytes of memory more that adding to these rows, each given once, will need. */
  growth(rows: Iterable<number>): number {
    let count = this.rows.length
    for (const row of rows) if (!this.#placeOf.has(row)) count++
    const { length } = this.#numbers
    return count * this.dim <= length ? 0 : 4 * Math.max(count * this.dim - length, length)
  }

  /** Takes that memory. */
  reserve(rows: Iterable<number>): void {
    const growth = this.growth(rows)
    if (growth === 0) return
    const before = this.#numbers
    this.#numbers = new Float32Array(before.length + growth / 4)
    this.#numbers.set(before)
  }

  /** Adds numbers [C] at `at` to a row, for which there is room. @returns the row's place */
  add(row: number, numbers: Float32Array, at: number): number {
    const { dim } = this
    const sums = this.#numbers
    let place = this.#placeOf.get(row)
    if (place === undefined) {
      place = this.rows.push(row) - 1
      this.#placeOf.set(row, place)
      sums.fill(0, place * dim, (place + 1) * dim)
    }
    const to = place * dim
    for (let c = 0; c < dim; c++) sums[to + c] += numbers[at + c]
    return place
  }

  /** Adds the sums of `other`, row by row. */
  addAll(other: RowSums): void {
    this.reserve(other.rows)
    for (const [i, row] of other.rows.entries()) {
      const place = this.add(row, other.#numbers, i * this.dim)
      this.#squares[place] = sumOfSquares(this.#numbers, place * this.dim, this.dim)
    }
  }

  /** No row has come. The memory is used again. */
  clear(): void {
    this.rows.length = 0
    this.#squares.length = 0
    this.#placeOf.clear()
  }
}

/** In float64 and in four sums, which lose less than one and are faster. */
function sumOfSquares(x: Float32Array, start: number, dim: number): number {
  let [a, b, c, d] = [0, 0, 0, 0]
  let i = start
  for (; i + 8 <= start + dim; i += 8) {
    a += x[i] * x[i] + x[i + 2] * x[i + 2]
    b += x[i + 1] * x[i + 1] + x[i + 3] * x[i + 3]
    c += x[i + 4] * x[i + 4] + x[i + 6] * x[i + 6]
    d += x[i + 5] * x[i + 5] + x[i + 7] * x[i + 7]
  }
  for (; i < start + dim; i++) a += x[i] * x[i]
  return a + c + (b + d)
}
