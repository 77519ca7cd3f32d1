/**
 * The rows of one answer, B of them, each of T slots. Each `fill…` writes the row-major elements
 * `first … first + out.length − 1` of the named tensor, so that a tensor of any size is made block by block.
 */
export interface TokenBatch {
  /** B. */
  readonly count: number
  /** T. */
  readonly contextLength: number
  /** `input_ids` [B, T], padded with the pad token. */
  fillInputIds(out: Int32Array, first: number): void
  /** `target_ids` [B, T]: the token after each input, −100 without one. */
  fillTargetIds(out: Int32Array, first: number): void
  /** `attention_mask` [B, T]: 1 at a token, 0 at padding. */
  fillAttentionMask(out: Int32Array, first: number): void
  /** `position_ids` [B, T]. @param offset the position of a first token */
  fillPositionIds(out: Int32Array, first: number, offset: number): void
  /** `document_ids` [B]. */
  fillDocumentIds(out: Int32Array, first: number): void
  /** `window_starts` [B]: the window's first token, counted in its document. */
  fillWindowStarts(out: Int32Array, first: number): void
}
