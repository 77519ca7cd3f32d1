/** Where the documents of a sequence of tokens start and end. */
export interface DocumentBounds {
  readonly count: number
  /** Tokens of all documents. */
  readonly totalTokens: number
  /** Tokens of the longest document. */
  readonly longest: number
  /** Where document `d` starts in the tokens; of `count`, where the last one ends. */
  start(d: number): number
  length(d: number): number
  /** The document that the token at `place` belongs to. */
  documentAt(place: number): number
}

/** The bounds of documents whose starts stand in an array. */
export class StoredBounds implements DocumentBounds {
  readonly longest: number

  /**
   * @param starts of each document, and behind them where the last one ends: [0, 5, 9] are two documents
   * @param longest tokens of the longest document, where that is known
   */
  constructor(
    private readonly starts: Float64Array,
    longest?: number,
  ) {
    this.longest = longest ?? longestOf(starts)
  }

  get count(): number {
    return this.starts.length - 1
  }

  get totalTokens(): number {
    return this.starts[this.count]!
  }

  start(d: number): number {
    return this.starts[d]!
  }

  length(d: number): number {
    return this.starts[d + 1]! - this.starts[d]!
  }

  documentAt(place: number): number {
    return lastStartAtMost(this, place)
  }
}

function longestOf(starts: Float64Array): number {
  let longest = 0
  for (let d = 0; d + 1 < starts.length; d++) longest = Math.max(longest, starts[d + 1]! - starts[d]!)
  return longest
}

/** The last document that starts at or before `place`: documents without tokens are never it. */
export function lastStartAtMost(documents: Pick<DocumentBounds, 'count' | 'start'>, place: number): number {
  let low = 0
  let high = documents.count
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (documents.start(middle) <= place) low = middle
    else high = middle
  }
  return low
}
