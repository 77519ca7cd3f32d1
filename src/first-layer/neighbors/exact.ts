import { type Metric, nearness } from './metric.js'

/** How near a row is to a query as wide, in float64. */
export function exactNearness(metric: Metric, row: Float32Array, query: Float32Array): number {
  if (metric === 'euclidean') return -Math.sqrt(squareBetween(row, query))
  let [dot, rowSquare, querySquare] = [0, 0, 0]
  for (let c = 0; c < row.length; c++) {
    const [a, b] = [row[c]!, query[c]!]
    dot += a * b
    rowSquare += a * a
    querySquare += b * b
  }
  return nearness(metric, { dot, rowSquare, querySquare })
}

/** The squared distance, without the cancellation of |row|² − 2·dot + |query|². */
function squareBetween(row: Float32Array, query: Float32Array): number {
  let sum = 0
  for (let c = 0; c < row.length; c++) sum += (row[c]! - query[c]!) ** 2
  return sum
}
