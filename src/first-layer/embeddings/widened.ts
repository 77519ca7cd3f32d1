import type { FloatDtype } from '../tensors/named-tensor.js'
import type { StoredNumbers } from './table.js'

/** Stored numbers in float32, exactly: float16 0x3c00 → 1, bfloat16 0x3f80 → 1. float32 numbers are not copied. */
export function widened(numbers: StoredNumbers, dtype: FloatDtype): Float32Array {
  if (numbers instanceof Float32Array) return numbers
  const out = new Float32Array(numbers.length)
  if (dtype === 'float16') {
    for (let i = 0; i < out.length; i++) out[i] = fromFloat16(numbers[i])
  } else {
    const words = new Uint32Array(out.buffer)
    for (let i = 0; i < out.length; i++) words[i] = numbers[i] << 16
  }
  return out
}

/** IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits. */
function fromFloat16(bits: number): number {
  const sign = bits >> 15 === 0 ? 1 : -1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
