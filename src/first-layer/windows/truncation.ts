import type { Documents, IdDocuments } from './documents.js'

/** Documents are cut to so many tokens. */
export interface TruncationRule {
  /** Most tokens of a document. */
  readonly length: number
  /** Special tokens at a text's end, as `[SEP]`, stay there: the tokens before them are cut. */
  readonly keepsSpecialEnd: boolean
}

/**
 * Cuts each document to its first tokens, as transformers' `truncation=True, max_length=length`: `[CLS] a b c [SEP]` cut to
 * 3 is `[CLS] a [SEP]` where the special tokens at the end are kept, else `[CLS] a b`. No id is copied.
 *
 * @param special ids of special tokens
 */
export function truncated(
  documents: Documents,
  { length, keepsSpecialEnd }: TruncationRule,
  special: Iterable<number>,
): IdDocuments {
  if (documents.longest <= length) return documents
  const isKept = keepsSpecialEnd && documents.totalCharacters > 0
  return new CutDocuments(documents, length, new Set(isKept ? special : []))
}

/** The first tokens of each document, and the special ones at its end. */
class CutDocuments implements IdDocuments {
  readonly count: number
  readonly totalTokens: number
  /** Tokens of each document that stay at its end. */
  readonly #ends: Int32Array

  constructor(
    private readonly documents: Documents,
    readonly longest: number,
    kept: ReadonlySet<number>,
  ) {
    const { count, ids } = documents
    this.count = count
    this.#ends = new Int32Array(kept.size > 0 ? count : 0)
    let tokens = 0
    for (let d = 0; d < count; d++) {
      const most = this.length(d)
      tokens += most
      if (kept.size === 0) continue
      const last = documents.start(d + 1) - 1
      let end = 0
      while (end < most && kept.has(ids.at(last - end))) end++
      this.#ends[d] = end
    }
    this.totalTokens = tokens
  }

  length(d: number): number {
    return Math.min(this.documents.length(d), this.longest)
  }

  copyTo(out: Int32Array, at: number, d: number, start: number, count: number): void {
    const cut = this.length(d) - (this.#ends[d] ?? 0)
    const first = Math.min(Math.max(0, cut - start), count)
    if (first > 0) this.documents.copyTo(out, at, d, start, first)
    if (first === count) return
    const skipped = this.documents.length(d) - this.length(d)
    this.documents.copyTo(out, at + first, d, skipped + start + first, count - first)
  }
}
