const words = new Uint32Array(2)
const double = new Float64Array(words.buffer)
const bits = new BigInt64Array(words.buffer)

/**
 * `a · b + c` of float32 values, rounded once to float32, as a CPU's fused multiply-add does.
 *
 * The product is exact in double. The sum may be rounded to a double that lies halfway between two float32
 * values, and the second rounding would then go astray; the error of the sum decides such ties.
 * Valid where the result is not a subnormal float32.
 */
export function fusedMultiplyAdd(a: number, b: number, c: number): number {
  const product = a * b
  const sum = product + c
  double[0] = sum
  if ((words[0]! & 0x1fffffff) === 0x10000000) {
    const carried = sum - product
    const error = product - (sum - carried) + (c - carried)
    if (error !== 0) {
      bits[0]! += error > 0 === sum > 0 ? 1n : -1n
      return Math.fround(double[0]!)
    }
  }
  return Math.fround(sum)
}
