const bits = new Uint32Array(1)
const float = new Float32Array(bits.buffer)

/** The float32 value of a float16's bits: sign, 5 bits of exponent, 10 of fraction (IEEE 754 binary16). */
function float16Value(half: number): number {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >>> 10) & 0x1f
  const fraction = half & 0x3ff
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN
  if (exponent === 0) return sign * fraction * 2 ** -24
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

let float16Values: Float32Array | undefined

/** Float16 bits as the float32 values that they are, exactly. */
export function widenFloat16(halves: Uint16Array): Float32Array {
  float16Values ??= Float32Array.from({ length: 1 << 16 }, (_, half) => float16Value(half))
  const out = new Float32Array(halves.length)
  for (let i = 0; i < out.length; i++) out[i] = float16Values[halves[i]]
  return out
}

/** Bfloat16 bits, the upper half of a float32, as the float32 values that they are. */
export function widenBfloat16(halves: Uint16Array): Float32Array {
  const out = new Float32Array(halves.length)
  const outBits = new Uint32Array(out.buffer)
  for (let i = 0; i < out.length; i++) outBits[i] = halves[i] << 16
  return out
}

/** Float32 values rounded to nearest even to bfloat16, as bits. NaN stays NaN. */
export function narrowBfloat16(values: Float32Array, out: Uint16Array): void {
  for (let i = 0; i < values.length; i++) {
    float[0] = values[i]
    const word = bits[0]
    out[i] = Number.isNaN(values[i]) ? (word >>> 16) | 0x40 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16
  }
}

/** Float32 values rounded to nearest even to float16, as bits. Beyond 65,504 + half a step: Infinity. */
export function narrowFloat16(values: Float32Array, out: Uint16Array): void {
  for (let i = 0; i < values.length; i++) out[i] = float16Bits(values[i])
}

function float16Bits(value: number): number {
  float[0] = value
  const word = bits[0]
  const sign = (word >>> 16) & 0x8000
  const magnitude = word & 0x7fffffff
  if (magnitude > 0x7f800000) return sign | 0x7e00
  if (magnitude >= 0x477ff000) return sign | 0x7c00 // 65,520 and beyond
  if (magnitude < 0x38800000) return sign | roundToEven(Math.abs(value) * 2 ** 24) // subnormal: steps of 2^-24
  return sign | ((magnitude + 0xfff + ((magnitude >>> 13) & 1) - 0x38000000) >>> 13)
}

function roundToEven(x: number): number {
  const floor = Math.floor(x)
  const rest = x - floor
  if (rest !== 0.5) return Math.round(x)
  return floor % 2 === 0 ? floor : floor + 1
}
