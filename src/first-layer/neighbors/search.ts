import type { Model } from '../embeddings/model.js'
import type { TablePlace } from '../embeddings/table-memory.js'
import type { TableName } from '../embeddings/table-names.js'
import { widened } from '../embeddings/widened.js'
import { STORAGE } from '../kernels/kernels.js'
import { PAUSE, type Steps } from '../steps.js'
import { ITEM_BYTES } from '../tensors/named-tensor.js'
import { type AddBounded, boundsOf, scaleOf } from './bounds.js'
import { Candidates } from './candidates.js'
import { exactNearness } from './exact.js'
import { type Metric, scoreOf } from './metric.js'
import { SquaresInSteps } from './row-squares.js'

/** Most queries that one pass over the table serves. */
const QUERIES_AT_ONCE = 64
/** Most numbers of all queries of a pass: each step copies them into the kernel's memory. */
const QUERY_ELEMENTS = 1 << 16
/** Multiplications in one step: about half a millisecond. */
const STEP_PRODUCTS = 1 << 21
/** Rows times queries in one step: as many bounds are made. */
const STEP_SCORES = 1 << 15
/** Rows in one step: a list takes them all in at the beginning, and is sorted in one go. */
const STEP_ROWS = 1 << 13
/** Scores of the first step, whose code is not compiled yet; each step takes twice as many rows as the one before. */
const FIRST_SCORES = 1 << 10
/** Numbers of rows that are compared exactly in one step, and such rows. */
const EXACT_ELEMENTS = 1 << 16
const EXACT_ROWS = 1 << 10
/** A neighbour that is found: an object of two numbers. */
const FOUND_BYTES = 48

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
 * are not finite are no neighbours of any query. Lists of candidates are reserved.
 */
export function* findNeighbors(model: Model, search: Search): Steps<Neighbor[][]> {
  const place = model.place(search.table)
  if (place === undefined) throw new Error(`${model.spec.id} holds no ${search.table}`)
  const [rows, width] = place.shape as [number, number]
  const atOnce = Math.max(1, Math.min(QUERIES_AT_ONCE, Math.floor(QUERY_ELEMENTS / width)))
  yield search.queries.length * Math.min(search.k, rows) * FOUND_BYTES
  const found: Neighbor[][] = []
  for (let done = 0; done < search.queries.length; done += atOnce) {
    const queries = search.queries.slice(done, done + atOnce)
    found.push(...(yield* searchOnce(model, place, { ...search, queries })))
  }
  return found
}

/** A query, as it is and scaled, and the rows that may be the nearest to it. */
interface List {
  readonly query: Float32Array
  readonly scaled: Float32Array
  readonly add: AddBounded
  readonly candidates: Candidates
}

function listOf(metric: Metric, query: Float32Array, candidates: Candidates): List {
  const scale = scaleOf(query)
  return { query, scaled: query.map((x) => x * scale), add: boundsOf(metric, query, scale), candidates }
}

/** One pass over the table. */
function* searchOnce(model: Model, place: TablePlace, search: Search): Steps<Neighbor[][]> {
  const { workspace } = model
  const { firstRow = 0, queries, k, metric } = search
  const [tableRows, width] = place.shape as [number, number]
  const count = queries.length
  const most = rowsInStep(width, count, workspace.addends.length)
  const bytes = count * Candidates.bytes(k, most)
  yield bytes
  const lists: List[] = []
  for (const query of queries) {
    yield PAUSE
    lists.push(listOf(metric, query, new Candidates(k, most)))
  }
  const rowBytes = width * ITEM_BYTES[place.dtype]
  const dots = workspace.addends
  const squares = new SquaresInSteps(model, place)
  const settle = (list: List) => settled(model, place, search, list)
  let rows = 0
  let next = Math.min(most, Math.max(1, Math.floor(FIRST_SCORES / count)))
  for (let first = firstRow; first < tableRows; first += rows) {
    yield PAUSE
    rows = Math.min(next, tableRows - first)
    next = Math.min(most, 2 * rows)
    // Other requests have used the scratch space between two turns.
    for (const [i, { scaled }] of lists.entries()) workspace.rows.set(scaled, i * width)
    const at = place.pointer + first * rowBytes
    const [out, asked] = [dots.byteOffset, workspace.rows.byteOffset]
    const scratch = workspace.unprojected.byteOffset + 4 * STEP_ROWS // behind the squares
    const type = STORAGE[place.dtype]
    workspace.kernels.scoreRows(out, squares.out, at, type, rows, width, asked, count, scratch)
    const rowSquares = squares.take(first, rows)
    for (const [i, { add, candidates }] of lists.entries()) {
      for (let row = 0; row < rows; row++) {
        add(candidates, first - firstRow + row, dots[row * count + i]!, rowSquares[row]!)
      }
    }
    for (const list of lists) {
      if (!list.candidates.isFull) continue
      yield PAUSE
      list.candidates.cut()
      if (list.candidates.isCrowded) yield* settle(list)
    }
  }
  squares.end(firstRow)
  const found: Neighbor[][] = []
  for (const list of lists) {
    yield PAUSE
    list.candidates.cut()
    yield* settle(list)
    const nearest = list.candidates.nearest()
    found.push(nearest.map(({ id, near }) => ({ id, score: scoreOf(metric, near) })))
  }
  yield -bytes
  return found
}

function rowsInStep(width: number, count: number, scores: number): number {
  const most = Math.ceil(STEP_PRODUCTS / (width * count))
  return Math.max(1, Math.min(STEP_ROWS, most, Math.floor(Math.min(STEP_SCORES, scores) / count)))
}

/** Compares in float64 the rows of a list whose bounds overlap. */
function settled(
  model: Model,
  place: TablePlace,
  { metric, firstRow = 0 }: Search,
  { query, candidates }: List,
): Steps<void> {
  const width = query.length
  const numbers = model.numbers(place)
  const near = (id: number) => {
    const at = (firstRow + id) * width
    return exactNearness(metric, widened(numbers.subarray(at, at + width), place.dtype), query)
  }
  const atOnce = Math.max(1, Math.min(EXACT_ROWS, Math.floor(EXACT_ELEMENTS / width)))
  return candidates.settle(near, atOnce)
}
