/** Twins of the 16-bit conversions, by arithmetic on the value instead of its bits. */

interface Format {
  /** Bits of the fraction. */
  fraction: number
  /** The exponent of the smallest normal number. */
  minExponent: number
  /** The exponent of the largest number. */
  maxExponent: number
}

const FLOAT16: Format = { fraction: 10, minExponent: -14, maxExponent: 15 }
const BFLOAT16: Format = { fraction: 7, minExponent: -126, maxExponent: 127 }

export const float16Bits = (value: number): number =>
  Number.isNaN(value) ? signOf(value) | 0x7e00 : bitsOf(value, FLOAT16)

export const bfloat16Bits = (value: number): number =>
  Number.isNaN(value) ? 0x7fc0 : bitsOf(value, BFLOAT16)

export const float16Value = (bits: number): number => numberOf(bits, FLOAT16)

export const bfloat16Value = (bits: number): number => numberOf(bits, BFLOAT16)

function signOf(value: number): number {
  return new Uint32Array(Float32Array.of(value).buffer)[0]! >>> 31 ? 0x8000 : 0
}

function bitsOf(value: number, { fraction, minExponent, maxExponent }: Format): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0
  const magnitude = Math.abs(value)
  const infinity = (maxExponent - minExponent + 2) << fraction
  if (magnitude === Infinity) return sign | infinity
  const exponent = Math.max(minExponent, Math.floor(Math.log2(magnitude)))
  // Counted in steps of this exponent; subnormals have the steps of the smallest normal numbers.
  const steps = halfEven(magnitude / 2 ** (exponent - fraction))
  return sign | Math.min(infinity, steps + ((exponent - minExponent) << fraction))
}

function halfEven(value: number): number {
  const whole = Math.floor(value)
  const rest = value - whole
  return rest > 0.5 || (rest === 0.5 && whole % 2 === 1) ? whole + 1 : whole
}

function numberOf(bits: number, { fraction, minExponent, maxExponent }: Format): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits & 0x7fff) >> fraction
  const digits = (bits & 0x7fff) % 2 ** fraction
  if (exponent === maxExponent - minExponent + 2) return digits ? Number.NaN : sign * Infinity
  if (exponent === 0) return sign * digits * 2 ** (minExponent - fraction)
  return sign * (2 ** fraction + digits) * 2 ** (exponent - 1 + minExponent - fraction)
}
