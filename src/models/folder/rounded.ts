import type { FloatDtype } from '../../named-tensor.js'

/** A number rounded to float32, and then to nearest even to `dtype`: √3072 in bfloat16 → 55.5. */
export function roundedTo(value: number, dtype: FloatDtype): number {
  const single = Math.fround(value)
  if (dtype === 'float32' || single === 0 || !Number.isFinite(single)) return single
  const [precision, least] = dtype === 'float16' ? [11, -14] : [8, -126]
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(single))), least)
  const unit = 2 ** (exponent - precision + 1)
  const units = single / unit // exact: a power of two
  const whole = Math.floor(units)
  const rest = units - whole
  const up = rest > 0.5 || (rest === 0.5 && whole % 2 !== 0)
  return (up ? whole + 1 : whole) * unit
}
