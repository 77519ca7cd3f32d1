import type { FillPlaces } from './position-rows.js'

/** Token types, attention mask and ids of the rows of [B, T], filled range by range. */
export interface RowFacts {
  /** T */
  readonly contextLength: number
  /** Position of a window's first token. */
  readonly positionOffset: number
  /** Of packed windows: places from the start of each segment on. Absent: positions are those of the windows. */
  readonly fillPlaces?: FillPlaces | undefined
  /** Whether some slots may be pads. */
  readonly canPad: boolean
  fillTokenTypeIds(out: Int32Array, first: number): void
  fillAttentionMask(out: Int32Array, first: number): void
  fillInputIds(out: Int32Array, first: number): void
}
