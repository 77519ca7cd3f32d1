import type { Documents } from './documents.js'
import type { TokenBatch } from './token-batch.js'
import type { Windows } from './windows.js'

/** The value in `target_ids` without a next token: PyTorch's `ignore_index`. */
export const NO_TARGET = -100

/** The windows of one answer, made from the request's documents. */
export class WindowBatch implements TokenBatch {
  readonly count: number
  readonly contextLength: number

  /**
   * @param order place in loader order → window; absent: the windows' own order
   * @param from first place of the answer, included; `to` is excluded
   */
  constructor(
    private readonly documents: Documents,
    private readonly windows: Windows,
    private readonly order: Int32Array | undefined,
    private readonly from: number,
    to: number,
    private readonly padTokenId: number,
  ) {
    this.count = to - from
    this.contextLength = windows.contextLength
  }

  fillInputIds(out: Int32Array, first: number): void {
    this.fillFrom(this.documents, out, first, 0, this.padTokenId)
  }

  fillTargetIds(out: Int32Array, first: number): void {
    this.fillFrom(this.documents, out, first, 1, NO_TARGET)
  }

  /** Numbers that go with the tokens one by one, as token types do: [B, T], 0 at padding, or all 0 without any. */
  fillAligned(aligned: Documents | undefined, out: Int32Array, first: number): void {
    if (aligned === undefined) out.fill(0)
    else this.fillFrom(aligned, out, first, 0, 0)
  }

  fillAttentionMask(out: Int32Array, first: number): void {
    this.eachRun(first, out.length, (window, column, at, count) => {
      const tokens = Math.min(count, Math.max(0, this.tokensFrom(window, column)))
      out.fill(1, at, at + tokens)
      out.fill(0, at + tokens, at + count)
    })
  }

  /** `offset … offset + T − 1` in each window. */
  fillPositionIds(out: Int32Array, first: number, offset: number): void {
    fillPositionIds(out, first, this.contextLength, offset)
  }

  /** The document's index in the request. */
  fillDocumentIds(out: Int32Array, first: number): void {
    for (let i = 0; i < out.length; i++) out[i] = this.locate(first + i).document
  }

  fillWindowStarts(out: Int32Array, first: number): void {
    for (let i = 0; i < out.length; i++) out[i] = this.locate(first + i).start
  }

  private fillFrom(source: Documents, out: Int32Array, first: number, shift: number, padding: number): void {
    this.eachRun(first, out.length, (window, column, at, count) => {
      const tokens = Math.min(count, Math.max(0, this.tokensFrom(window, column + shift)))
      if (tokens > 0) source.copyTo(out, at, window.document, window.start + column + shift, tokens)
      if (tokens < count) out.fill(padding, at + tokens, at + count) // a call of V8's runtime, even for nothing
    })
  }

  /** Tokens that the document still has from a window's column on. */
  private tokensFrom(window: { document: number; start: number }, column: number): number {
    return this.documents.length(window.document) - window.start - column
  }

  /** Cuts a range of [B, T] into runs that lie in one window. */
  private eachRun(
    first: number,
    length: number,
    run: (window: { document: number; start: number }, column: number, at: number, count: number) => void,
  ): void {
    let row = Math.floor(first / this.contextLength)
    let column = first - row * this.contextLength
    for (let at = 0; at < length; row++, column = 0) {
      const count = Math.min(this.contextLength - column, length - at)
      run(this.locate(row), column, at, count)
      at += count
    }
  }

  private locate(row: number): { document: number; start: number } {
    const place = this.from + row
    return this.windows.locate(this.order === undefined ? place : this.order[place])
  }
}

/** `position_ids` [B, T]: `offset … offset + T − 1` in each window. */
export function fillPositionIds(out: Int32Array, first: number, contextLength: number, offset: number): void {
  let column = first % contextLength
  for (let i = 0; i < out.length; i++) {
    out[i] = offset + column
    if (++column === contextLength) column = 0
  }
}
