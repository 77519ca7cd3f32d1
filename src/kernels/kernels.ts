import { instantiate } from './wasm-module.js'

/** Most bytes of one float32 as text, its comma included: what `floatsToText` may touch for each number. */
export const MAX_FLOAT_TEXT_BYTES = 24

/** Most bytes of one int32 as text, its comma included: what `int32sToText` may touch for each number. */
export const MAX_INT32_TEXT_BYTES = 12

/**
 * `out[i, :] = table[ids[i], :] + positions[positionStart + (firstRow + i) mod contextLength, :]` for `rows` rows of
 * `dim` numbers. A `positions` of 0 adds none. The ids are trusted: one beyond the table reads what lies there.
 */
export type EmbedRows = (
  out: number,
  table: number,
  ids: number,
  rows: number,
  dim: number,
  positions: number,
  positionStart: number,
  firstRow: number,
  contextLength: number,
) => void

/** Turns `count` elements at `input` into `count` of another type at `out`. The two do not overlap. */
export type Convert = (out: number, input: number, count: number) => void

/** Writes `count` numbers as text, with commas in between; returns the bytes written. */
export type ToText = (out: number, input: number, count: number) => number

/** Writes `rows` rows of `length` numbers, with `],[` in between; two bytes more a row than their numbers can take. */
export type RowsToText = (out: number, input: number, rows: number, length: number) => number

/**
 * The inner loops that cost everything. Pointers are byte offsets into the memory that the kernels were made for;
 * tables, positions and float outputs are float32, ids int32, little-endian as all of WebAssembly.
 */
export interface Kernels {
  embedRows: EmbedRows
  /** The float32 sum, rounded to nearest even to float16. Beyond 65519.99 it is ±Infinity; NaN becomes 0x7e00, with its sign. */
  embedRowsFloat16: EmbedRows
  /** The float32 sum, rounded to nearest even to bfloat16. NaN becomes 0x7fc0. */
  embedRowsBfloat16: EmbedRows

  /** float32 → float16, as `embedRowsFloat16` rounds. */
  narrowFloat16: Convert
  /** float32 → bfloat16, as `embedRowsBfloat16` rounds. */
  narrowBfloat16: Convert
  /** float16 → float32, exact. */
  widenFloat16: Convert
  /** bfloat16 → float32, exact. */
  widenBfloat16: Convert

  /**
   * float32 as JSON: the shortest decimals that round-trip, of these the closest, laid out as JavaScript prints numbers.
   *
   * 0.1, −0, 1e−7, 1e21, −∞, NaN → `0.1,-0,1e-7,1e+21,"-Infinity","NaN"`
   *
   * Touches up to `MAX_FLOAT_TEXT_BYTES · count` bytes from `out`.
   */
  floatsToText: ToText
  /** int32 as JSON: 0, −7, 50256 → `0,-7,50256`. Touches up to `MAX_INT32_TEXT_BYTES · count` bytes from `out`. */
  int32sToText: ToText
  /** `floatsToText` row by row: [[1, 2], [3, 4]] → `1,2],[3,4`. */
  floatRowsToText: RowsToText
  int32RowsToText: RowsToText
}

/** The kernels, working on `memory`. Synchronous; the module is compiled once per thread. */
export function instantiateKernels(memory: WebAssembly.Memory): Kernels {
  return instantiate<Kernels>('model', memory)
}
