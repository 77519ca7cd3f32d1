// a·b + c of float32 numbers with one rounding, the same on every processor: relaxed SIMD's is fused on some, not on all.

import { firstTwo, lastTwo } from './lanes'

/**
 * a·b + c in float64, rounded to odd: the product of two float32 numbers is exact, and where the sum is not, its last bit
 * is set in the direction of the exact value. Rounding it again, to float32, then errs no more than rounding once.
 * Source: Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd",
 * IEEE Transactions on Computers 57(4), 2008. The error of the sum is Knuth's two-sum.
 */
// @inline
function fusedTwo(a: v128, b: v128, c: v128): v128 {
  const product = f64x2.mul(a, b)
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

/** a·b + c of each lane. */
// @inline
export function fused(a: v128, b: v128, c: v128): v128 {
  const first = fusedTwo(firstTwo(a), firstTwo(b), firstTwo(c))
  return narrow(first, fusedTwo(lastTwo(a), lastTwo(b), lastTwo(c)))
}

/** factor·b + c of each lane. @param factor the same float32 number in both lanes of a float64 vector */
// @inline
export function fusedBy(factor: v128, b: v128, c: v128): v128 {
  return narrow(fusedTwo(factor, firstTwo(b), firstTwo(c)), fusedTwo(factor, lastTwo(b), lastTwo(c)))
}
