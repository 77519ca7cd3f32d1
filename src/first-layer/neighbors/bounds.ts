import type { Candidates } from './candidates.js'
import { exactNearness } from './exact.js'
import type { Metric } from './metric.js'

/** Squared lengths of rows between which float32 neither overflows nor loses digits. */
const SMALL = 1e-24
const LARGE = 1e36
/** The greatest length of a row whose computed square is at most `SMALL`. */
const SHORT = Math.sqrt(2 * SMALL)
/** More than rounding in float64 can change. */
const ROUNDING = 1e-9

/**
 * Adds a row to the list of a query, with bounds of how near it is.
 *
 * @param dot of row and scaled query
 * @param rowSquare 0 only where all numbers of the row are
 */
export type AddBounded = (list: Candidates, id: number, dot: number, rowSquare: number) => void

/** The power of two that brings a query's largest number to 1 … 2; 1 for zeros. */
export function scaleOf(query: Float32Array): number {
  let most = 0
  for (const x of query) most = Math.max(most, Math.abs(x))
  return most > 0 && most < Number.POSITIVE_INFINITY ? 2 ** -Math.floor(Math.log2(most)) : 1
}

/**
 * Bounds for one query. A float32 dot product of `width` numbers, summed in lanes, is within (width / 4 + 16) · 2^−24 ·
 * |row| · |query| of the exact one (Higham, Accuracy and Stability, §3.1). The query is scaled, so that this holds for
 * queries of any length; rows too short or too long for it get wider bounds. A row with a NaN is never added.
 */
export function boundsOf(metric: Metric, query: Float32Array, scale: number): AddBounded {
  const querySquare = query.reduce((sum, x) => sum + x * x, 0)
  if (!Number.isFinite(querySquare)) return () => {} // nothing is near it
  const [queryLength, unscaled] = [Math.sqrt(querySquare), 1 / scale]
  const error = 4 * (query.length / 4 + 16) * 2 ** -24
  const ofZeros = exactNearness(metric, new Float32Array(query.length), query)
  const isZero = querySquare === 0 && metric !== 'euclidean'
  return (list, id, scaledDot, rowSquare) => {
    if (rowSquare === 0 || (isZero && rowSquare < Number.POSITIVE_INFINITY)) list.add(id, ofZeros, ofZeros)
    else if (rowSquare <= SMALL) addShort(list, id, metric, queryLength)
    else if (rowSquare < LARGE) {
      const [dot, length] = [scaledDot * unscaled, Math.sqrt(rowSquare)]
      if (metric === 'cosine') {
        const near = dot / (length * queryLength)
        list.add(id, near - error, near + error)
      } else if (metric === 'dot') {
        const off = error * length * queryLength
        list.add(id, dot - off, dot + off)
      } else {
        // √ is steep near 0: the bounds are those of the square.
        const square = rowSquare - 2 * dot + querySquare
        const off = error * (length + queryLength) ** 2
        list.add(id, -Math.sqrt(Math.max(0, square) + off), -Math.sqrt(Math.max(0, square - off)))
      }
    } else if (rowSquare >= LARGE) list.add(id, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)
  }
}

/** A row whose numbers' squares vanish in float32: of its direction nothing is known. */
function addShort(list: Candidates, id: number, metric: Metric, queryLength: number): void {
  const most = SHORT * queryLength
  if (metric === 'cosine') list.add(id, -1 - ROUNDING, 1 + ROUNDING)
  else if (metric === 'dot') list.add(id, -most, most)
  else {
    const [far, near] = [queryLength + SHORT, Math.max(0, queryLength - SHORT)]
    list.add(id, -far * (1 + ROUNDING), -near * (1 - ROUNDING))
  }
}
