import { TokenBuffer } from '../tokens/token-buffer.js'

/** The bounds of the documents in a sequence of tokens. */
export interface DocumentBounds {
  readonly count: number
  /** Tokens of all documents. */
  readonly totalTokens: number
  /** Tokens of the longest document. */
  readonly longest: number
  /** The start of document `d` in the tokens; `start(count)` is the end of the last. */
  start(d: number): number
  length(d: number): number
  /** The document that the token at `place` belongs to. */
  documentAt(place: number): number
}

/** Bounds from an array of starts. */
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
function lastStartAtMost(documents: Pick<DocumentBounds, 'count' | 'start'>, place: number): number {
  let low = 0
  let high = documents.count
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (documents.start(middle) <= place) low = middle
    else high = middle
  }
  return low
}

/**
 * The documents of a request as token ids: all ids one after the other, and where each document ends. A window never
 * crosses from one to the next.
 *
 * `documents.ids.append(…)` and `documents.endDocument()` add one; a document costs 8 bytes beside its ids.
 */
export class Documents implements DocumentBounds {
  /** Bytes of memory that a document takes beside its ids. */
  static readonly DOCUMENT_BYTES: number = 8
  readonly #ends = new Offsets()
  #longest = 0

  /** @param ids of the documents to come, one after the other */
  constructor(readonly ids = new TokenBuffer()) {}

  static of(ids: TokenBuffer): Documents {
    const documents = new Documents(ids)
    documents.endDocument()
    return documents
  }

  /** Ends a document: it consists of the ids since the end of the document before. */
  endDocument(end = this.ids.length): void {
    const length = end - this.totalTokens
    if (length > this.#longest) this.#longest = length
    this.#ends.push(end)
  }

  get count(): number {
    return this.#ends.length
  }

  /** Tokens of all documents. */
  get totalTokens(): number {
    return this.start(this.count)
  }

  /** Characters of all texts; 0 where the documents were given as ids. */
  get totalCharacters(): number {
    return this.ids.characters
  }

  /** Tokens of the longest document. */
  get longest(): number {
    return this.#longest
  }

  start(d: number): number {
    return d === 0 ? 0 : this.#ends.at(d - 1)
  }

  /** Tokens of document `d`. */
  length(d: number): number {
    return this.start(d + 1) - this.start(d)
  }

  documentAt(place: number): number {
    return lastStartAtMost(this, place)
  }

  /** Copies the ids `start … start + count − 1` of document `d` to `out[at …]`. */
  copyTo(out: Int32Array, at: number, d: number, start: number, count: number): void {
    this.ids.copyTo(out, this.start(d) + start, count, at)
  }
}

/**
 * Documents whose ids were made of texts, with the characters of each text: for a list of texts whose answer counts
 * both. A document costs 16 bytes beside its ids.
 */
export class TextDocuments extends Documents {
  static override readonly DOCUMENT_BYTES = 16
  readonly #characterEnds = new Offsets()

  override endDocument(end?: number): void {
    super.endDocument(end)
    this.#characterEnds.push(this.ids.characters)
  }

  /** Characters (code points) of text `d`. */
  characters(d: number): number {
    return this.#characterEnds.at(d) - (d === 0 ? 0 : this.#characterEnds.at(d - 1))
  }
}

const BLOCK_BITS = 16
const BLOCK = 1 << BLOCK_BITS

/**
 * A growable list of places in something large: blocks of 65,536, so that a list of millions grows without ever
 * copying what it holds. Eight bytes each.
 */
export class Offsets {
  readonly #blocks: number[][] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  push(offset: number): void {
    const block = this.#length++ & (BLOCK - 1)
    if (block === 0) this.#blocks.push([offset])
    else this.#blocks[this.#blocks.length - 1]!.push(offset)
  }

  /** The offset at `index`, which must be in 0 … length − 1. */
  at(index: number): number {
    return this.#blocks[index >>> BLOCK_BITS]![index & (BLOCK - 1)]!
  }
}
