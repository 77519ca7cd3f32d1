import type { Model } from '../embeddings/model.js'
import type { TablePlace } from '../embeddings/table-memory.js'
import type { TableName } from '../embeddings/table-names.js'
import { widened } from '../embeddings/widened.js'
import { STORAGE } from '../kernels/kernels.js'
import type { Claim } from '../load/claim.js'
import { heavy } from '../load/heavy.js'
import { ITEM_BYTES } from '../named-tensor.js'
import { Pace } from '../turn.js'
import { Candidates } from './candidates.js'
import { type Metric, nearness, scoreOf } from './metric.js'

/** Queries that one pass over the table serves. */
const QUERIES_AT_ONCE = 64
/** Elements of all queries of a pass: they are copied to the kernel's memory in each step. */
const QUERY_ELEMENTS = 1 << 16
/** Multiplications in one step: about half a millisecond. */
const STEP_PRODUCTS = 1 << 21
/** Numbers of candidates that are compared exactly in one step. */
const EXACT_ELEMENTS = 1 << 16
/** Compared rows beyond those that are wanted before they are sorted and cut. */
const SORTED_AT_ONCE = 1 << 12

/** Squared lengths between which float32 neither overflows nor loses digits. */
const SMALL = 1e-24
const LARGE = 1e36

export interface Search {
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
 * The k rows nearest to each query, the nearest first, ties by id: exact, over the whole table. A pass in float32 leaves
 * the rows that may be among them, with bounds for the rounding; those are compared in float64. Rows with numbers that
 * are not finite are nobody's neighbours.
 */
export async function findNeighbors(model: Model, search: Search, claim: Claim): Promise<Neighbor[][]> {
  const place = model.place(search.table)
  if (place === undefined) throw new Error(`${model.spec.id} holds no ${search.table}`)
  const width = place.shape[1]!
  const atOnce = Math.max(1, Math.min(QUERIES_AT_ONCE, Math.floor(QUERY_ELEMENTS / width)))
  const found: Neighbor[][] = []
  return heavy(claim, async () => {
    for (let done = 0; done < search.queries.length; done += atOnce) {
      const queries = search.queries.slice(done, done + atOnce)
      const candidates = await scan(model, place, { ...search, queries }, claim)
      for (const [i, query] of queries.entries()) {
        found.push(await nearest(model, place, search, query, candidates[i]!.settle(), claim))
      }
    }
    return found
  })
}

/** One pass over the table: the rows that may be near each query. */
async function scan(model: Model, place: TablePlace, search: Search, claim: Claim): Promise<Candidates[]> {
  const { workspace } = model
  const { firstRow = 0, queries, k, metric } = search
  const [tableRows, width] = place.shape as [number, number]
  const count = queries.length
  const candidates = queries.map(() => new Candidates(k))
  const bounds = queries.map((query) => boundsOf(metric, width, squareOf(query)))
  const most = Math.min(
    Math.ceil(STEP_PRODUCTS / (width * count)),
    Math.floor(workspace.addends.length / count),
  )
  const rowBytes = width * ITEM_BYTES[place.dtype]
  const [dots, made] = [workspace.addends, workspace.unprojected]
  const known = model.rowSquares(place.name)
  const squares = known ?? new Float32Array(tableRows)
  const pace = new Pace(claim)
  for (let first = firstRow; first < tableRows; first += most) {
    if (pace.isOver) await pace.nextTurn()
    const rows = Math.min(most, tableRows - first)
    // Other requests have used the scratch space between two turns.
    for (const [i, query] of queries.entries()) workspace.rows.set(query, i * width)
    const at = place.pointer + first * rowBytes
    const [out, asked] = [dots.byteOffset, workspace.rows.byteOffset]
    const norms = known === undefined ? made.byteOffset : 0
    workspace.kernels.scoreRows(out, norms, at, STORAGE[place.dtype], rows, width, asked, count)
    if (known === undefined) squares.set(made.subarray(0, rows), first)
    for (let i = 0; i < count; i++) {
      const [list, bound] = [candidates[i]!, bounds[i]!]
      for (let row = 0; row < rows; row++) {
        bound(list, first - firstRow + row, dots[row * count + i]!, squares[first + row]!)
      }
    }
  }
  if (known === undefined && firstRow === 0) model.keepRowSquares(place.name, squares)
  return candidates
}

/**
 * Adds a row with bounds of how near it is. A float32 dot product of `width` numbers, summed in lanes, is within
 * (width / 4 + 16) · 2^−24 · |row| · |query| of the exact one (Higham, Accuracy and Stability, §3.1). Where numbers are so
 * large or so small that this does not hold, the row stays in any case.
 */
function boundsOf(metric: Metric, width: number, querySquare: number) {
  const unit = (width / 4 + 16) * 2 ** -24
  const queryLength = Math.sqrt(querySquare)
  return (list: Candidates, id: number, dot: number, rowSquare: number): void => {
    if (!(rowSquare > SMALL && rowSquare < LARGE && querySquare > SMALL && querySquare < LARGE)) {
      list.add(id, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
      return
    }
    const near = nearness(metric, { dot, rowSquare, querySquare })
    const length = Math.sqrt(rowSquare)
    let error = 4 * unit * length * queryLength
    if (metric === 'cosine') error = 4 * unit
    // √ is steep near 0: the bound is that of the square, on both sides.
    else if (metric === 'euclidean') {
      const square = near * near
      const off = 4 * unit * (length + queryLength) ** 2
      list.add(id, -Math.sqrt(square + off), -Math.sqrt(Math.max(0, square - off)))
      return
    }
    list.add(id, near - error, near + error)
  }
}

/** The k nearest among candidates, compared in float64. */
async function nearest(
  model: Model,
  place: TablePlace,
  { metric, k, firstRow = 0 }: Search,
  query: Float32Array,
  candidates: Int32Array,
  claim: Claim,
): Promise<Neighbor[]> {
  const width = query.length
  const numbers = model.numbers(place)
  const querySquare = squareOf(query)
  const pace = new Pace(claim)
  const atOnce = Math.max(1, Math.floor(EXACT_ELEMENTS / width))
  const exact: { id: number; near: number }[] = []
  for (const [i, id] of candidates.entries()) {
    if (i % atOnce === 0 && pace.isOver) await pace.nextTurn()
    const at = (firstRow + id) * width
    const row = widened(numbers.subarray(at, at + width), place.dtype)
    const near =
      metric === 'euclidean'
        ? -Math.sqrt(squareBetween(row, query))
        : nearness(metric, { ...productsOf(row, query), querySquare })
    if (Number.isFinite(near)) exact.push({ id, near })
    if (exact.length === 2 * k + SORTED_AT_ONCE) sortNearest(exact).length = k
  }
  return sortNearest(exact)
    .slice(0, k)
    .map(({ id, near }) => ({ id, score: scoreOf(metric, near) }))
}

function sortNearest(rows: { id: number; near: number }[]) {
  return rows.sort((a, b) => b.near - a.near || a.id - b.id)
}

function productsOf(row: Float32Array, query: Float32Array): { dot: number; rowSquare: number } {
  let dot = 0
  let rowSquare = 0
  for (let c = 0; c < row.length; c++) {
    dot += row[c]! * query[c]!
    rowSquare += row[c]! * row[c]!
  }
  return { dot, rowSquare }
}

/** The squared distance, in float64, without the cancellation of |row|² − 2·dot + |query|². */
function squareBetween(row: Float32Array, query: Float32Array): number {
  let sum = 0
  for (let c = 0; c < row.length; c++) sum += (row[c]! - query[c]!) ** 2
  return sum
}

function squareOf(query: Float32Array): number {
  return productsOf(query, query).dot
}
