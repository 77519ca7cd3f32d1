import type { TensorData } from './values.js'

/** The numbers of a tensor as float32: each float16, bfloat16 and float32 has one; of an int32 the nearest. */
export function widened({ dtype, data }: Pick<TensorData, 'dtype' | 'data'>): Float32Array<ArrayBuffer> {
  if (data instanceof Float32Array) return data
  if (data instanceof Int32Array) return Float32Array.from(data)
  const bits = new Uint32Array(data.length)
  if (dtype === 'bfloat16') for (let i = 0; i < data.length; i++) bits[i] = data[i] << 16
  else for (let i = 0; i < data.length; i++) bits[i] = float32Bits(data[i])
  return new Float32Array(bits.buffer)
}

/** A float16's bits as a float32's: sign 1, exponent 5 → 8, fraction 10 → 23. */
function float32Bits(half: number): number {
  const sign = (half & 0x8000) << 16
  const exponent = (half >> 10) & 31
  const fraction = half & 0x3ff
  if (exponent === 31) return sign | 0x7f800000 | (fraction << 13)
  if (exponent > 0) return sign | ((exponent + 112) << 23) | (fraction << 13)
  if (fraction === 0) return sign
  // A subnormal, fraction · 2^−24, is a normal float32: its leading one moves to bit 10.
  const shift = Math.clz32(fraction) - 21
  return sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ff) << 13)
}
