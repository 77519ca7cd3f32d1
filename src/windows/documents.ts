/** A list of token ids that can be copied out of: a Int32Array, or a buffer that grew while a text arrived. */
export interface TokenList {
  readonly length: number
  /** Copies ids `start … start + count − 1` to `out[at …]`. */
  copyTo(out: Int32Array, at: number, start: number, count: number): void
}

/** The documents of a request as token ids. A window never crosses from one to the next. */
export class Documents {
  readonly totalTokens: number

  constructor(private readonly lists: readonly TokenList[]) {
    this.totalTokens = lists.reduce((sum, list) => sum + list.length, 0)
  }

  get count(): number {
    return this.lists.length
  }

  /** Tokens of document `d`. */
  length(d: number): number {
    return this.lists[d].length
  }

  copyTo(out: Int32Array, at: number, document: number, start: number, count: number): void {
    this.lists[document].copyTo(out, at, start, count)
  }
}
