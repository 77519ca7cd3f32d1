import { type Convert, instantiate } from './kernels.js'

/** Most bytes of one float32 as text, its comma included: `floatRowsToText` may touch as many for each number. */
export const MAX_FLOAT_TEXT_BYTES = 24

/** Most bytes of one int32 as text, its comma included: `int32RowsToText` may touch as many for each number. */
export const MAX_INT32_TEXT_BYTES = 12

/**
 * Writes `rows` rows of `length` numbers with `],[` in between, at most two bytes per row beside its numbers; returns the
 * bytes written. [[1, 2], [3, 4]] → `1,2],[3,4`.
 */
type RowsToText = (out: number, input: number, rows: number, length: number) => number

/**
 * Numbers to JSON text, in a separate unshared memory: V8 copies shared memory word by word, which makes a small
 * answer noticeably slower (docs/log/). Pointers are byte offsets into this memory.
 */
export interface TextKernels {
  /** `reserve` replaces the buffer: read `memory.buffer` again after it. */
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Reserves `bytes`, which are never freed; returns where they begin, a multiple of 64. */
  reserve(bytes: number): number

  /** float16 → float32, exact. */
  widenFloat16: Convert
  /** bfloat16 → float32, exact. */
  widenBfloat16: Convert

  /**
   * float32 as JSON: the shortest decimals that round-trip, of these the closest, laid out as JavaScript prints numbers.
   *
   * 0.1, −0, 1e−7, 1e21, −∞, NaN → `0.1,-0,1e-7,1e+21,"-Infinity","NaN"`
   */
  floatRowsToText: RowsToText
  /** int32 as JSON: 0, −7, 50256 → `0,-7,50256`. */
  int32RowsToText: RowsToText
}

/** The kernels with an empty memory. Synchronous; compiles the module once per thread. */
export function instantiateTextKernels(): TextKernels {
  return instantiate<TextKernels>('text')
}
