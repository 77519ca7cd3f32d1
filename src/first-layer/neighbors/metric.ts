/** How near two rows are. */
export const METRICS = ['cosine', 'dot', 'euclidean'] as const
export type Metric = (typeof METRICS)[number]

/** Dot product and squared lengths of a row and a query. */
export interface Products {
  readonly dot: number
  readonly rowSquare: number
  readonly querySquare: number
}

/**
 * How near a row is, the greater the nearer. [1, 0] and [1, 1]: cosine 0.7071…, dot 1, euclidean −1.
 *
 * A row of zeros has the cosine 0 to everything.
 */
export function nearness(metric: Metric, { dot, rowSquare, querySquare }: Products): number {
  switch (metric) {
    case 'dot':
      return dot
    case 'cosine': {
      // One root, not two: the root of a square is exact, and so a row's cosine to itself is 1.
      const lengths = Math.sqrt(rowSquare * querySquare)
      return lengths === 0 ? 0 : Math.max(-1, Math.min(1, dot / lengths))
    }
    case 'euclidean':
      return -Math.sqrt(Math.max(0, rowSquare - 2 * dot + querySquare))
  }
}

/** The value in an answer: cosine and dot product as they are, the Euclidean distance without the sign. */
export function scoreOf(metric: Metric, near: number): number {
  return metric === 'euclidean' ? 0 - near : near
}
