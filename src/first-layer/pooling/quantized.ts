/** Types that an embedding's numbers are stored in. */
export const VECTOR_DTYPES = ['float', 'int8', 'uint8', 'binary', 'ubinary'] as const
export type VectorDtype = (typeof VECTOR_DTYPES)[number]

/** The numbers of one embedding as they are stored. */
export type VectorNumbers = Float32Array | Int8Array | Uint8Array

/** The least and the greatest value of each dimension among the embeddings of a sample, float32 [D] each. */
export interface Ranges {
  readonly least: Float32Array
  readonly greatest: Float32Array
}

/** Steps between the ends of a range: 256 values. */
const STEPS = 255
const BYTE_BITS = 8

const { fround } = Math

/** Whether a type's numbers are steps within ranges. */
export function needsRanges(dtype: VectorDtype): boolean {
  return dtype === 'int8' || dtype === 'uint8'
}

/** Whether a type holds eight dimensions in a byte. */
export function isPacked(dtype: VectorDtype): boolean {
  return dtype === 'binary' || dtype === 'ubinary'
}

/** Numbers of an embedding of `dimensions` as it is stored: 256 in `ubinary` → 32, 13 → 2. */
export function storedLength(dtype: VectorDtype, dimensions: number): number {
  return isPacked(dtype) ? Math.ceil(dimensions / BYTE_BITS) : dimensions
}

/** The first dimension whose range ends below its beginning, or is wider than float32 can tell; undefined: none. */
export function wrongRange({ least, greatest }: Ranges): number | undefined {
  const wrong = least.findIndex((low, c) => {
    const width = fround(greatest[c] - low)
    return !(width >= 0 && Number.isFinite(width))
  })
  return wrong < 0 ? undefined : wrong
}

/**
 * Makes the function that stores embeddings, float32 [D], in a type, with the bits of sentence-transformers'
 * `quantize_embeddings` (6.2, `util/quantization.py`): `uint8` [D] are the steps from the least value of the dimension's
 * range, of 255, rounded down and at most those of its ends; `ubinary` [⌈D / 8⌉] has a bit for each number, 1 where it is
 * above 0, the first one the highest of its byte; `int8` and `binary` are 128 less.
 *
 * @param ranges of `int8` and `uint8`, of D dimensions
 * @returns a function whose result is good until it is called again
 */
export function quantizer(
  dtype: VectorDtype,
  dimensions: number,
  ranges?: Ranges,
): (row: Float32Array) => VectorNumbers {
  if (dtype === 'float') return (row) => row
  const bytes = new Uint8Array(storedLength(dtype, dimensions))
  const isSigned = dtype === 'int8' || dtype === 'binary'
  const out = isSigned ? new Int8Array(bytes.buffer) : bytes
  const base = isSigned ? 128 : 0 // a negative byte is its two's complement
  if (isPacked(dtype)) {
    return (row) => {
      for (let i = 0; i < bytes.length; i++) bytes[i] = signBits(row, BYTE_BITS * i) - base
      return out
    }
  }
  if (ranges === undefined) throw new RangeError(`${dtype} needs ranges`)
  const { least } = ranges
  const steps = least.map((low, c) => fround(fround(ranges.greatest[c] - low) / STEPS) || 1) // 1 where a range has none
  return (row) => {
    for (let c = 0; c < bytes.length; c++) {
      const step = Math.floor(fround(fround(row[c] - least[c]) / steps[c]))
      bytes[c] = Math.min(Math.max(step, 0), STEPS) - base
    }
    return out
  }
}

/** The signs of eight numbers from `start` on as bits; behind the last number they are 0. */
function signBits(row: Float32Array, start: number): number {
  let bits = 0
  for (let c = start; c < start + BYTE_BITS; c++) bits = 2 * bits + (row[c] > 0 ? 1 : 0)
  return bits
}
