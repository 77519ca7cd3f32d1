const double = new Float64Array(1)
const bits = new BigInt64Array(double.buffer)

/**
 * `a · b + c` of float32 values, rounded once to float32, as a CPU's fused multiply-add does.
 *
 * The product is exact in double. An inexact sum is made odd (its last bit set, by the sign of its error),
 * so that the second rounding sees on which side of a tie the exact value lies.
 */
export function fusedMultiplyAdd(a: number, b: number, c: number): number {
  const product = a * b
  const sum = product + c
  const carried = sum - product
  const error = product - (sum - carried) + (c - carried)
  if (error < 0 || error > 0) {
    double[0] = sum
    if ((bits[0]! & 1n) === 0n) bits[0]! += error > 0 === sum > 0 ? 1n : -1n
    return Math.fround(double[0]!)
  }
  return Math.fround(sum)
}
