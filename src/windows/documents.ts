import type { TokenBuffer } from '../tokens/token-buffer.js'

/** The documents of a request as token ids. A window never crosses from one to the next. */
export class Documents {
  /** Tokens of all documents. */
  readonly totalTokens: number
  /** Characters of all texts; 0 where the documents were given as ids. */
  readonly totalCharacters: number
  /** Tokens of the longest document. */
  readonly longest: number

  constructor(private readonly documents: readonly TokenBuffer[]) {
    this.totalTokens = documents.reduce((sum, document) => sum + document.length, 0)
    this.totalCharacters = documents.reduce((sum, document) => sum + document.characters, 0)
    this.longest = documents.reduce((most, document) => Math.max(most, document.length), 0)
  }

  get count(): number {
    return this.documents.length
  }

  /** Tokens of document `d`. */
  length(d: number): number {
    return this.documents[d].length
  }

  /** Copies the ids `start … start + count − 1` of document `d` to `out[at …]`. */
  copyTo(out: Int32Array, at: number, d: number, start: number, count: number): void {
    this.documents[d].copyTo(out, start, count, at)
  }
}
