import { TokenBuffer } from '../tokens/token-buffer.js'

/** How long documents are. */
export interface DocumentLengths {
  readonly count: number
  /** Tokens of all documents. */
  readonly totalTokens: number
  /** Tokens of the longest document. */
  readonly longest: number
  length(d: number): number
}

/** Documents of which windows are cut. */
export interface IdDocuments extends DocumentLengths {
  /** Copies the ids `start … start + count − 1` of document `d` to `out[at …]`. */
  copyTo(out: Int32Array, at: number, d: number, start: number, count: number): void
}

/** The bounds of the documents in a sequence of tokens. */
export interface DocumentBounds extends DocumentLengths {
  /** The start of document `d` in the tokens; `start(count)` is the end of the last. */
  start(d: number): number
  /** The document that the token at `place` belongs to: the last that starts there or before, never one without tokens. */
  documentAt(place: number): number
}

/** Bounds from an array of starts. */
export class StoredBounds implements DocumentBounds {
  count: number
  totalTokens: number

  /**
   * @param starts of each document, and behind them where the last one ends: [0, 5, 9] are two documents
   * @param longest tokens of the longest document, where that is known
   */
  constructor(
    protected readonly starts: Float64Array | number[],
    public longest = longestOf(starts),
  ) {
    this.count = starts.length - 1
    this.totalTokens = starts[this.count]
  }

  start(d: number): number {
    return this.starts[d]
  }

  length(d: number): number {
    return this.starts[d + 1] - this.starts[d]
  }

  documentAt(place: number): number {
    return lastAtMost(this.count, (d) => this.starts[d], place)
  }
}

function longestOf(starts: ArrayLike<number>): number {
  let longest = 0
  for (let d = 0; d + 1 < starts.length; d++) longest = Math.max(longest, starts[d + 1] - starts[d])
  return longest
}

/** The last index of an ascending list whose value is at most `limit`; the first index if none is. */
export function lastAtMost(length: number, at: (index: number) => number, limit: number): number {
  let low = 0
  let high = length
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (at(middle) <= limit) low = middle
    else high = middle
  }
  return low
}

/**
 * The documents of a request as token ids: all ids one after the other, and where each document ends. A window never
 * crosses from one to the next.
 *
 * `documents.ids.append(…)` and `documents.endDocument()` add one; a document costs 16 bytes beside its ids.
 */
export class Documents extends StoredBounds implements IdDocuments {
  /** Bytes of memory that a document takes beside its ids. */
  static readonly DOCUMENT_BYTES = 16
  declare protected readonly starts: number[]
  readonly #characterEnds: number[] = []

  /** @param ids of the documents to come, one after the other */
  constructor(readonly ids = new TokenBuffer()) {
    super([0], 0)
  }

  static of(ids: TokenBuffer): Documents {
    const documents = new Documents(ids)
    documents.endDocument()
    return documents
  }

  /** Ends a document: it consists of the ids since the end of the document before. */
  endDocument(end = this.ids.length): void {
    const length = end - this.totalTokens
    if (length > this.longest) this.longest = length
    this.starts.push(end)
    this.#characterEnds.push(this.ids.characters)
    this.count++
    this.totalTokens = end
  }

  /** Characters of all texts; 0 where the documents were given as ids. */
  get totalCharacters(): number {
    return this.ids.characters
  }

  /** Characters (code points) of text `d`. */
  characters(d: number): number {
    return this.#characterEnds[d] - (d === 0 ? 0 : this.#characterEnds[d - 1])
  }

  copyTo(out: Int32Array, at: number, d: number, start: number, count: number): void {
    this.ids.copyTo(out, this.starts[d] + start, count, at)
  }
}
