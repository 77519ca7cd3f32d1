// PyTorch's Mersenne Twister and its float32 normal_fill, in a small memory of their own with the layout below.
//
// mt19937 by M. Matsumoto and T. Nishimura (BSD-3-Clause). Polynomials: avx_mathfun.h by Giovanni Garberoglio, after
// Julien Pommier's sse_mathfun.h and Cephes (zlib licence).

/** The twister's 624 words. */
export const STATE: usize = 1024
/** The same words tempered: the generator's output. */
export const WORDS: usize = 4096
/** The numbers of the last fill. */
export const NUMBERS: usize = 8192

const STATE_WORDS: i32 = 624
const SHIFT_WORDS: i32 = 397

// @inline
function twisted(i: usize, next: usize, shifted: usize): void {
  const joined = v128.or(
    v128.and(v128.load(i), i32x4.splat(0x80000000)),
    v128.and(v128.load(next), i32x4.splat(0x7fffffff)),
  )
  // An odd word subtracts to a mask of ones.
  const odd = i32x4.sub(i32x4.splat(0), v128.and(v128.load(next), i32x4.splat(1)))
  const word = v128.xor(v128.load(shifted), i32x4.shr_u(joined, 1))
  v128.store(i, v128.xor(word, v128.and(odd, i32x4.splat(0x9908b0df))))
}

// @inline
function twistedOne(i: usize, next: usize, shifted: usize): void {
  const joined = (load<u32>(i) & 0x80000000) | (load<u32>(next) & 0x7fffffff)
  store<u32>(i, load<u32>(shifted) ^ (joined >>> 1) ^ ((0 - (joined & 1)) & 0x9908b0df))
}

/** Replaces `STATE` by the next 624 words, and writes these, tempered, to `WORDS`. */
export function twist(): void {
  const end: usize = STATE + 4 * STATE_WORDS
  const ahead: usize = 4 * SHIFT_WORDS
  const behind: usize = 4 * (STATE_WORDS - SHIFT_WORDS)
  let i: usize = STATE
  for (; i < STATE + behind - 12; i += 16) twisted(i, i + 4, i + ahead)
  for (; i < STATE + behind; i += 4) twistedOne(i, i + 4, i + ahead)
  for (; i < end - 4; i += 16) twisted(i, i + 4, i - behind)
  twistedOne(end - 4, STATE, end - 4 - behind)

  for (let offset: usize = 0; offset < 4 * STATE_WORDS; offset += 16) {
    let word = v128.load(STATE + offset)
    word = v128.xor(word, i32x4.shr_u(word, 11))
    word = v128.xor(word, v128.and(i32x4.shl(word, 7), i32x4.splat(0x9d2c5680)))
    word = v128.xor(word, v128.and(i32x4.shl(word, 15), i32x4.splat(0xefc60000)))
    v128.store(WORDS + offset, v128.xor(word, i32x4.shr_u(word, 18)))
  }
}

/**
 * Writes `count` uniform float32 numbers of 24 bits to `NUMBERS`, from the words after the first `used`. Returns
 * the new `used`.
 */
export function uniform(used: i32, count: i32): i32 {
  let out: usize = NUMBERS
  while (count > 0) {
    if (used === STATE_WORDS) {
      twist()
      used = 0
    }
    const taken = min(STATE_WORDS - used, count)
    const end = out + 4 * taken
    let word: usize = WORDS + 4 * used
    for (; out + 16 <= end; out += 16, word += 16) {
      const low = v128.and(v128.load(word), i32x4.splat(0xffffff))
      v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(low), f32x4.splat(<f32>5.9604644775390625e-8)))
    }
    for (; out < end; out += 4, word += 4) {
      store<f32>(out, <f32>(load<u32>(word) & 0xffffff) * <f32>5.9604644775390625e-8)
    }
    used += taken
    count -= taken
  }
  return used
}

// Where PyTorch's build fuses a multiply-add of float32, this code computes the product exactly in double and rounds
// the sum to double, then to float32. The second rounding changes no result: a test tries all 2^24 inputs of each
// polynomial. The code takes plain float32 steps where the same test finds them equal.

// @inline
function low(values: v128): v128 {
  return f64x2.promote_low_f32x4(values)
}

// @inline
function high(values: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<i32>(values, values, 2, 3, 2, 3))
}

// @inline
function joined(low: v128, high: v128): v128 {
  return v128.shuffle<i32>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 1, 4, 5)
}

/** Doubles rounded to float32 values. */
// @inline
function rounded(values: v128): v128 {
  return f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(values))
}

// @inline
function fused(a: v128, b: v128, c: v128): v128 {
  return rounded(f64x2.add(f64x2.mul(a, b), c))
}

// @inline
function constant(value: f32): v128 {
  return f64x2.splat(<f64>value)
}

// @inline
function logPolynomial(x: v128, z: v128, exponentLow: v128): v128 {
  let y = fused(constant(7.0376836292e-2), x, constant(-1.151461031e-1))
  y = fused(y, x, constant(1.167699874e-1))
  y = fused(y, x, constant(-1.2420140846e-1))
  y = fused(y, x, constant(1.4249322787e-1))
  y = fused(y, x, constant(-1.6668057665e-1))
  y = fused(y, x, constant(2.0000714765e-1))
  y = fused(y, x, constant(-2.4999993993e-1))
  y = fused(y, x, constant(3.3333331174e-1))
  y = rounded(f64x2.mul(y, x))
  return f64x2.add(f64x2.mul(y, z), exponentLow)
}

/** sqrt(−2 log(1 − d)) */
// @inline
function radius(d: v128): v128 {
  const value = f32x4.sub(f32x4.splat(1), d)
  let x = v128.or(v128.and(value, i32x4.splat(0x007fffff)), i32x4.splat(0x3f000000))
  const small = f32x4.lt(x, f32x4.splat(<f32>0.707106781186547524))
  const exponent = f32x4.convert_i32x4_s(
    i32x4.add(i32x4.sub(i32x4.shr_u(value, 23), i32x4.splat(126)), small),
  )
  x = f32x4.add(f32x4.sub(x, f32x4.splat(1)), v128.and(x, small))
  const z = f32x4.mul(x, x)
  const exponentLow = f32x4.mul(exponent, f32x4.splat(<f32>-2.1219444e-4))
  let y = joined(
    logPolynomial(low(x), low(z), low(exponentLow)),
    logPolynomial(high(x), high(z), high(exponentLow)),
  )
  y = f32x4.sub(y, f32x4.mul(z, f32x4.splat(0.5)))
  const log = f32x4.add(f32x4.add(x, y), f32x4.mul(exponent, f32x4.splat(<f32>0.693359375)))
  return f32x4.sqrt(f32x4.mul(log, f32x4.splat(-2)))
}

// @inline
function cosPolynomial(z: v128, halfZ: v128): v128 {
  let y = fused(constant(2.443315711809948e-5), z, constant(-1.388731625493765e-3))
  y = fused(y, z, constant(4.166664568298827e-2))
  y = rounded(f64x2.mul(y, z))
  return f64x2.sub(f64x2.mul(y, z), halfZ)
}

// @inline
function sinPolynomial(x: v128, z: v128): v128 {
  let y = fused(constant(-1.9515295891e-4), z, constant(8.3321608736e-3))
  y = fused(y, z, constant(-1.6666654611e-1))
  y = rounded(f64x2.mul(y, z))
  return f64x2.add(f64x2.mul(y, x), x)
}

// @inline
function reduced(x: v128, octant: v128): v128 {
  return f64x2.add(x, f64x2.mul(octant, constant(-3.77489497744594108e-8)))
}

/** v · std + mean in double, inexact sums rounded to odd, so that rounding to float32 gives the rounded exact value. */
// @inline
function scaledOdd(v: v128, std: v128, mean: v128): v128 {
  const product = f64x2.mul(v, std)
  const sum = f64x2.add(product, mean)
  const carried = f64x2.sub(sum, product)
  const error = f64x2.add(f64x2.sub(product, f64x2.sub(sum, carried)), f64x2.sub(mean, carried))
  const zero = f64x2.splat(0)
  const inexact = v128.or(f64x2.lt(error, zero), f64x2.gt(error, zero))
  const even = i64x2.eq(v128.and(sum, i64x2.splat(1)), i64x2.splat(0))
  // Bits + 1 (away from zero) where error and sum have the same sign, else bits − 1 (towards zero).
  const opposed = i64x2.shr_s(v128.xor(error, sum), 63)
  const step = v128.or(opposed, i64x2.splat(1))
  return i64x2.add(sum, v128.and(step, v128.and(inexact, even)))
}

// @inline
function scaled(v: v128, std: v128, mean: v128, plain: bool): v128 {
  if (plain) return f32x4.add(f32x4.mul(v, std), mean)
  return joined(scaledOdd(low(v), low(std), low(mean)), scaledOdd(high(v), low(std), low(mean)))
}

// @inline
function transform(end: usize, mean: v128, std: v128, plain: bool): void {
  for (let pair: usize = NUMBERS; pair < end; pair += pair & 16 ? 48 : 16) {
    const r = radius(v128.load(pair))
    let x = f32x4.mul(v128.load(pair + 32), f32x4.splat(<f32>6.283185307179586))
    // Adding 2^23 leaves an integer in the low bits: trunc(x · 4 / π) + 1, made even.
    const whole = f32x4.trunc(f32x4.mul(x, f32x4.splat(<f32>1.27323954473516)))
    const octant = v128.and(f32x4.add(whole, f32x4.splat(8388609)), i32x4.splat(14))
    const turns = f32x4.convert_i32x4_s(octant)
    x = f32x4.add(x, f32x4.mul(turns, f32x4.splat(<f32>-0.78515625)))
    x = f32x4.add(x, f32x4.mul(turns, f32x4.splat(<f32>-2.4187564849853515625e-4)))
    x = joined(reduced(low(x), low(turns)), reduced(high(x), high(turns)))
    const z = f32x4.mul(x, x)
    const halfZ = f32x4.mul(z, f32x4.splat(0.5))
    const zLow = low(z)
    const zHigh = high(z)
    const even = f32x4.add(
      joined(cosPolynomial(zLow, low(halfZ)), cosPolynomial(zHigh, high(halfZ))),
      f32x4.splat(1),
    )
    const odd = joined(sinPolynomial(low(x), zLow), sinPolynomial(high(x), zHigh))

    const straight = i32x4.eq(v128.and(octant, i32x4.splat(2)), i32x4.splat(0))
    const sine = v128.xor(
      v128.bitselect(odd, even, straight),
      i32x4.shl(v128.and(octant, i32x4.splat(4)), 29),
    )
    const minus = v128.andnot(i32x4.splat(4), i32x4.sub(octant, i32x4.splat(2)))
    const cosine = v128.xor(v128.bitselect(even, odd, straight), i32x4.shl(minus, 29))
    v128.store(pair, scaled(f32x4.mul(r, cosine), std, mean, plain))
    v128.store(pair + 32, scaled(f32x4.mul(r, sine), std, mean, plain))
  }
}

/** Turns `count` uniform numbers at `NUMBERS`, a multiple of 16, into normal ones. */
export function normal(count: i32, mean: f32, std: f32): void {
  const end: usize = NUMBERS + 4 * count
  const means = f32x4.splat(mean)
  const stds = f32x4.splat(std)
  // With such a `std` no product underflows, so a float32 product equals a fused multiply-add with mean 0.
  if (mean === 0 && std >= <f32>1e-20) transform(end, means, stds, true)
  else transform(end, means, stds, false)
}

/** Writes `count` normal numbers, a multiple of 16, to `NUMBERS`. Takes and returns how many of `WORDS` are used. */
export function fill(used: i32, count: i32, mean: f32, std: f32): i32 {
  used = uniform(used, count)
  normal(count, mean, std)
  return used
}
