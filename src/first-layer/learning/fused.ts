const double = new Float64Array(1)
const [LOW, HIGH] = [0, 1]
const words = new Uint32Array(double.buffer)

/**
 * a·b + c of float32 numbers, rounded once to float32, as a processor's fused multiply-add.
 *
 * The product is exact in float64. Rounding the sum twice errs only where the float64 sum lies in the middle of two float32
 * numbers: one sum in half a billion, and subnormal ones, whose middles have other bits.
 */
export function fused(a: number, b: number, c: number): number {
  const product = a * b
  const sum = product + c
  double[0] = sum
  const isMiddle = (words[LOW] & 0x1fff_ffff) === 0x1000_0000
  const isTiny = (words[HIGH] & 0x7fff_ffff) < 0x3810_0000
  // The compiler takes the result of `fround` for a number, which it need not box.
  return isMiddle || (isTiny && sum !== 0) ? Math.fround(odd(product, sum, c)) : Math.fround(sum)
}

/**
 * An inexact sum is made odd: its last bit set, in the direction of its error. Rounding that errs no more than rounding once.
 * Source: Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved algorithms using rounding to odd",
 * IEEE Transactions on Computers 57(4), 2008. The error of the sum is Knuth's two-sum.
 */
function odd(product: number, sum: number, c: number): number {
  const carried = sum - product
  const error = product - (sum - carried) + (c - carried)
  double[0] = sum
  if ((error > 0 || error < 0) && (words[LOW] & 1) === 0) {
    const isBeyond = error > 0 !== sum > 0
    if (isBeyond && words[LOW] === 0) words[HIGH] -= 1
    words[LOW] += isBeyond ? -1 : 1
  }
  return double[0]
}
