// a·b + c of float32 numbers with one rounding, the same on every processor: relaxed SIMD's is fused on some, not on all.

import { firstTwo, lastTwo } from './lanes'

/**
 * The float64 sum of `product` and `c`, rounded to odd: where it is not exact, its last bit is set in the direction of the
 * exact value. Rounding it again, to float32, then errs no more than rounding once. The product of two float32 numbers is
 * exact in float64.
 * Source: Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd",
 * IEEE Transactions on Computers 57(4), 2008. The error of the sum is Knuth's two-sum.
 */
// @inline
function oddSum(product: v128, c: v128): v128 {
  const sum = f64x2.add(product, c)
  const carried = f64x2.sub(sum, product)
  const rest = f64x2.add(f64x2.sub(product, f64x2.sub(sum, carried)), f64x2.sub(c, carried))
  const zero = f64x2.splat(0)
  // False for NaN too: an infinite sum has no rest.
  const isInexact = f64x2.gt(f64x2.abs(rest), zero)
  // A sum beyond the exact value is the next number towards 0 with its last bit set: −1 where the signs differ.
  const isBeyond = v128.xor(f64x2.gt(rest, zero), f64x2.gt(sum, zero))
  const odd = v128.or(i64x2.add(sum, isBeyond), i64x2.splat(1))
  return v128.bitselect(odd, sum, isInexact)
}

/** float32 [4] from two pairs of float64 numbers, rounded to nearest even. */
// @inline
function narrow(first: v128, last: v128): v128 {
  return v128.shuffle<i64>(f32x4.demote_f64x2_zero(first), f32x4.demote_f64x2_zero(last), 0, 2)
}

/** Where one of four float64 numbers lies in the middle of two float32 numbers: bit 28 of its fraction set, and none below. */
// @inline
function isMiddle(first: v128, last: v128): v128 {
  const low = v128.shuffle<i32>(first, last, 0, 2, 4, 6)
  return i32x4.eq(v128.and(low, i32x4.splat(0x1fffffff)), i32x4.splat(0x10000000))
}

/** Where a float32 number is subnormal, or the smallest normal one: its middles have other bits. */
// @inline
function isTiny(value: v128): v128 {
  const bits = v128.and(value, i32x4.splat(0x7fffffff))
  return i32x4.le_u(i32x4.sub(bits, i32x4.splat(1)), i32x4.splat(0x007fffff)) // a processor has no instruction for <
}

// @inline
function sums(firstProduct: v128, lastProduct: v128, c: v128): v128 {
  const firstC = firstTwo(c)
  const lastC = lastTwo(c)
  const first = f64x2.add(firstProduct, firstC)
  const last = f64x2.add(lastProduct, lastC)
  const rounded = narrow(first, last)
  // Rounding twice errs only where the first rounding ends in the middle: one sum in half a billion, and tiny ones.
  const isDoubtful = v128.or(isMiddle(first, last), isTiny(rounded))
  if (!v128.any_true(isDoubtful)) return rounded
  return narrow(oddSum(firstProduct, firstC), oddSum(lastProduct, lastC))
}

/** a·b + c of each lane. */
// @inline
export function fused(a: v128, b: v128, c: v128): v128 {
  return sums(f64x2.mul(firstTwo(a), firstTwo(b)), f64x2.mul(lastTwo(a), lastTwo(b)), c)
}

/** factor·b + c of each lane. @param factor the same float32 number in both lanes of a float64 vector */
// @inline
export function fusedBy(factor: v128, b: v128, c: v128): v128 {
  return sums(f64x2.mul(factor, firstTwo(b)), f64x2.mul(factor, lastTwo(b)), c)
}
