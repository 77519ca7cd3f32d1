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
