/** Token types, attention mask and ids of the rows of [B, T], filled range by range. */
export interface RowFacts {
  /** T */
  readonly contextLength: number
  /** Position of a window's first token. */
  readonly positionOffset: number
  /** Whether some slots may be pads. */
  readonly canPad: boolean
  fillTokenTypeIds(out: Int32Array, first: number): void
  fillAttentionMask(out: Int32Array, first: number): void
  fillInputIds(out: Int32Array, first: number): void
}
