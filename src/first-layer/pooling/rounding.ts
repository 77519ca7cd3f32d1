import type { FloatDtype } from '../tensors/named-tensor.js'

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

const words = new Uint32Array(1)
const single = new Float32Array(words.buffer)

/**
 * A float32 rounded to bfloat16, ties away from zero, as FBGEMM does: 257 → 258, where nearest even is 256.
 */
export function bfloat16TiesAway(value: number): number {
  single[0] = value
  if (!Number.isFinite(value)) return value
  words[0] = ((words[0]! + 0x8000) & 0xffff0000) >>> 0
  return single[0]!
}
