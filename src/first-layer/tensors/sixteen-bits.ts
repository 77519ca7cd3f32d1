import type { FloatDtype } from './named-tensor.js'

/** Stored numbers in float32, exactly: float16 0x3c00 → 1, bfloat16 0x3f80 → 1. float32 numbers are not copied. */
export function widened(numbers: Float32Array | Uint16Array, dtype: FloatDtype): Float32Array {
  if (numbers instanceof Float32Array) return numbers
  const wide = new Float32Array(numbers.length)
  const bits = new Uint32Array(wide.buffer)
  for (let i = 0; i < numbers.length; i++) {
    if (dtype === 'bfloat16') bits[i] = numbers[i] << 16
    else {
      // The exponent is 112 less than float32's. Infinity and NaN have its greatest value in both.
      const hasValue = (numbers[i] & 0x7c00) !== 0x7c00
      bits[i] = ((numbers[i] & 0x8000) << 16) | ((numbers[i] & 0x7fff) << 13) | (hasValue ? 0 : 0x7f80_0000)
      if (hasValue) wide[i] *= 2 ** 112
    }
  }
  return wide
}

/** Significant bits, the exponent of the smallest normal number, and the largest number. */
const FORMATS = {
  float16: { precision: 11, least: -14, most: 65504 },
  bfloat16: { precision: 8, least: -126, most: (2 - 2 ** -7) * 2 ** 127 },
} as const

/** A whole number below 2⁵¹ that is added to this is rounded to an integer, to nearest even. */
const ROUNDER = 1.5 * 2 ** 52

/** A float64 rounded once to `dtype`, to nearest even: 2049 in float16 → 2048; 65520 → Infinity. */
export function rounded(value: number, dtype: FloatDtype): number {
  if (dtype === 'float32') return Math.fround(value)
  if (value === 0 || !Number.isFinite(value)) return value
  const { precision, least, most } = FORMATS[dtype]
  const unit = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(value))), least) - precision + 1)
  const near = (value / unit + ROUNDER - ROUNDER) * unit
  return Math.abs(near) > most ? Math.sign(near) * Number.POSITIVE_INFINITY : near
}
