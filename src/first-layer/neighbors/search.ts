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
 * @param between called between two steps of less than half a millisecond of work
 */
export async function nearestRows(
  model: Model,
  { table, firstRow = 0, queries, k, metric }: Search,
  between: () => Promise<void> | undefined = () => undefined,
): Promise<Neighbor[][]> {
  const place = model.place(table)
  if (place === undefined) throw new Error(`${model.spec.id} holds no ${table}`)
  const [tableRows, width] = place.shape as [number, number]
  const numbers = model.numbers(place)
  const lists = queries.map((query) => {
    const square = query.reduce((sum, x) => sum + x * x, 0)
    return { query, square, near: [] as Neighbor[] }
  })
  const fitting = Math.min(STEP_PRODUCTS / width, STEP_SCORES, model.workspace.rows.length / width)
  const stepRows = Math.max(1, Math.floor(fitting / queries.length))
  for (let first = firstRow; first < tableRows; first += stepRows) {
    await between()
    const count = Math.min(stepRows, tableRows - first)
    const rows = float32Rows(model, place, numbers.subarray(first * width, (first + count) * width))
    for (const { query, square, near } of lists)
      for (let row = 0; row < count; row++)
        insert(near, k, first - firstRow + row, nearness(metric, rows, row * width, query, square))
  }
  // The Euclidean distance has no sign in an answer.
  const scoreOf = (score: number) => (metric === 'euclidean' ? 0 - score : score)
  return lists.map(({ near }) => near.map(({ id, score }) => ({ id, score: scoreOf(score) })))
}

/** Adds a row to the k nearest, if it is one of them; rows come in ascending order of their ids. */
function insert(near: Neighbor[], k: number, id: number, score: number): void {
  if (!Number.isFinite(score) || (near.length === k && score <= near[k - 1].score)) return
  let at = near.length
  while (at > 0 && near[at - 1].score < score) at--
  near.splice(at, 0, { id, score })
  if (near.length > k) near.pop()
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
