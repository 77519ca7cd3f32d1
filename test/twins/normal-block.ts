// Polynomials: avx_mathfun.h by Giovanni Garberoglio, after Julien Pommier's sse_mathfun.h and Cephes (zlib licence).

import { fusedMultiplyAdd as fma } from './fused-multiply-add.js'

/** Numbers that one Box–Muller block takes and gives. */
export const BLOCK = 16

const f = Math.fround
const word = new Uint32Array(1)
const float = new Float32Array(word.buffer)

const SQRT_HALF = f(Math.SQRT1_2)
const LOG_HIGH = f(0.693359375)
const LOG_LOW = f(-2.1219444e-4)
const LOG_FIRST = f(7.0376836292e-2)
const LOG_POLYNOMIAL = [
  -1.151461031e-1, 1.167699874e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1, 2.0000714765e-1,
  -2.4999993993e-1, 3.3333331174e-1,
].map(f)

const TWO_PI = f(2 * Math.PI)
const FOUR_OVER_PI = f(1.27323954473516)
const QUARTER_PI_PARTS = [-0.78515625, -2.4187564849853516e-4, -3.774894977445941e-8].map(f)
const [COS_0, COS_1, COS_2] = [2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2].map(f) as [
  number,
  number,
  number,
]
const [SIN_0, SIN_1, SIN_2] = [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1].map(f) as [
  number,
  number,
  number,
]

/** Natural logarithm of a float32 in (0, 1], with the rounding of PyTorch's AVX2 build. */
function log(value: number): number {
  float[0] = value
  let exponent = (word[0]! >>> 23) - 126
  word[0] = (word[0]! & 0x007fffff) | 0x3f000000
  let x = float[0]!
  if (x < SQRT_HALF) {
    exponent -= 1
    x = f(f(x - 1) + x)
  } else {
    x = f(x - 1)
  }
  const z = f(x * x)
  let y = LOG_FIRST
  for (const coefficient of LOG_POLYNOMIAL) y = fma(y, x, coefficient)
  y = f(y * x)
  y = fma(y, z, f(exponent * LOG_LOW))
  y = fma(-0.5, z, y)
  return fma(exponent, LOG_HIGH, f(x + y))
}

/**
 * Turns 16 uniform float32 numbers in [0, 1) at `values[start …]` into 16 normal ones in place: pair j is
 * (j, j + 8), its radius from the first, its angle from the second.
 *
 * Bit for bit PyTorch's `normal_fill_AVX2` as GCC builds it for x86-64, with multiply-adds fused.
 * It is not the textbook Box–Muller transform: that differs from PyTorch by up to 2e-6.
 */
export function normalBlock(values: Float32Array, start: number, mean: number, std: number): void {
  for (let j = start; j < start + BLOCK / 2; j++) {
    const radius = f(Math.sqrt(f(-2 * log(f(1 - values[j]!)))))
    let x = f(TWO_PI * values[j + BLOCK / 2]!)
    const octant = (Math.trunc(f(x * FOUR_OVER_PI)) + 1) & ~1
    for (const part of QUARTER_PI_PARTS) x = fma(octant, part, x)
    const z = f(x * x)

    let even = f(fma(fma(COS_0, z, COS_1), z, COS_2) * z)
    even = f(fma(even, z, -f(z * 0.5)) + 1)
    let odd = f(fma(fma(SIN_0, z, SIN_1), z, SIN_2) * z)
    odd = fma(odd, x, x)

    const swapped = (octant & 2) !== 0
    const sine = (swapped ? even : odd) * (octant & 4 ? -1 : 1)
    const cosine = (swapped ? odd : even) * ((octant - 2) & 4 ? 1 : -1)
    values[j] = fma(f(radius * cosine), std, mean)
    values[j + BLOCK / 2] = fma(f(radius * sine), std, mean)
  }
}
