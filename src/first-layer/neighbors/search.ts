import type { Model } from '../embeddings/model.js'
import type { StoredNumbers } from '../embeddings/op.js'
import type { TableName, TablePlace } from '../embeddings/table-memory.js'

/** How near two rows are. */
export const METRICS = ['cosine', 'dot', 'euclidean'] as const
export type Metric = (typeof METRICS)[number]

/** Multiplications in one step: less than half a millisecond. */
const STEP_PRODUCTS = 1 << 18
/** Rows times queries in one step. */
const STEP_SCORES = 1 << 12
/** Memory of a neighbour that is found: an object of two numbers, and its place in a list. */
export const FOUND_BYTES = 64

interface Search {
  /** Which rows are searched: all of the table's, or those from `firstRow` on. */
  readonly table: TableName
  readonly firstRow?: number
  /** float32, each as wide as the table. */
  readonly queries: readonly Float32Array[]
  readonly k: number
  readonly metric: Metric
}

/** A row near a query. */
export interface Neighbor {
  /** Row, counted from `firstRow`. */
  readonly id: number
  /** Cosine, dot product, or Euclidean distance, in float64. */
  readonly score: number
}

/**
 * The k rows nearest to each query, the nearest first, ties by id: exact, over the whole table, compared in float64. Rows
 * with numbers that are not finite are no neighbours of any query.
 *
 * `while (search.advance());` then `search.found()` is a list for each query.
 */
export class NeighborSearch {
  readonly #place: TablePlace
  readonly #numbers: StoredNumbers
  readonly #lists: readonly {
    readonly query: Float32Array
    readonly square: number
    readonly near: Nearest
  }[]
  readonly #stepRows: number
  #next: number

  constructor(
    private readonly model: Model,
    private readonly search: Search,
  ) {
    const { table, firstRow = 0, queries, k } = search
    const place = model.place(table)
    if (place === undefined) throw new Error(`${model.spec.id} holds no ${table}`)
    const [tableRows, width] = place.shape as [number, number]
    const most = Math.min(k, tableRows - firstRow)
    this.#place = place
    this.#numbers = model.numbers(place)
    this.#lists = queries.map((query) => ({ query, square: squareOf(query), near: new Nearest(most) }))
    const fitting = Math.min(STEP_PRODUCTS / width, STEP_SCORES, model.workspace.rows.length / width)
    this.#stepRows = Math.max(1, Math.floor(fitting / queries.length))
    this.#next = firstRow
  }

  /** Compares some rows: less than half a millisecond of work. @returns whether rows are left */
  advance(): boolean {
    const { firstRow = 0, metric } = this.search
    const [tableRows, width] = this.#place.shape as [number, number]
    const first = this.#next
    const count = Math.min(this.#stepRows, tableRows - first)
    const numbers = this.#numbers.subarray(first * width, (first + count) * width)
    const rows = float32Rows(this.model, this.#place, numbers)
    for (const { query, square, near } of this.#lists)
      for (let row = 0; row < count; row++)
        near.add(first - firstRow + row, nearness(metric, rows, row * width, query, square))
    this.#next += count
    return this.#next < tableRows
  }

  found(): Neighbor[][] {
    return this.#lists.map(({ near }) => near.found(this.search.metric))
  }
}

/** Stored numbers in float32; those of 16 bits are widened in scratch, valid until the next step. */
function float32Rows({ workspace }: Model, { dtype }: TablePlace, numbers: StoredNumbers): Float32Array {
  if (numbers instanceof Float32Array) return numbers
  const { kernels, rows } = workspace
  const widen = dtype === 'float16' ? kernels.widenFloat16 : kernels.widenBfloat16
  widen(rows.byteOffset, numbers.byteOffset, numbers.length)
  return rows.subarray(0, numbers.length)
}

/**
 * How near the row at `rows[at …]` is to a query, the greater the nearer. [1, 0] and [1, 1]: cosine 0.7071…, dot 1,
 * euclidean −1. A row of zeros has the cosine 0 to everything.
 */
function nearness(
  metric: Metric,
  rows: Float32Array,
  at: number,
  query: Float32Array,
  querySquare: number,
): number {
  if (metric === 'euclidean') {
    let sum = 0
    for (let c = 0; c < query.length; c++) sum += (rows[at + c] - query[c]) ** 2
    return -Math.sqrt(sum)
  }
  let [dot, rowSquare] = [0, 0]
  for (let c = 0; c < query.length; c++) {
    const a = rows[at + c]
    dot += a * query[c]
    rowSquare += a * a
  }
  if (metric === 'dot') return dot
  // One root, not two: the root of a square is exact, and so a row's cosine to itself is 1.
  const lengths = Math.sqrt(rowSquare * querySquare)
  return lengths === 0 ? 0 : Math.max(-1, Math.min(1, dot / lengths))
}

function squareOf(query: Float32Array): number {
  return query.reduce((sum, x) => sum + x * x, 0)
}

/** The k nearest of the rows that were added in ascending order of their ids, the nearest first. */
class Nearest {
  readonly #nears: Float64Array
  readonly #ids: Int32Array
  #count = 0

  constructor(private readonly k: number) {
    this.#nears = new Float64Array(k)
    this.#ids = new Int32Array(k)
  }

  add(id: number, near: number): void {
    if (!Number.isFinite(near)) return
    const [nears, ids] = [this.#nears, this.#ids]
    if (this.#count === this.k && near <= nears[this.k - 1]) return
    let at = this.#count < this.k ? this.#count++ : this.k - 1
    for (; at > 0 && nears[at - 1] < near; at--) {
      nears[at] = nears[at - 1]
      ids[at] = ids[at - 1]
    }
    nears[at] = near
    ids[at] = id
  }

  /** The Euclidean distance has no sign in an answer. */
  found(metric: Metric): Neighbor[] {
    const ids = [...this.#ids.subarray(0, this.#count)]
    return ids.map((id, i) => ({ id, score: metric === 'euclidean' ? 0 - this.#nears[i] : this.#nears[i] }))
  }
}
