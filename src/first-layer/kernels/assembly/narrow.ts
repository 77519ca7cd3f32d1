// Arrays of float32 to 16 bits, rounded to nearest even.

import { Bfloat16, Float16, storeEight, storeOne } from './stored'

// @inline
function narrow<Out>(out: usize, input: usize, count: u32): void {
  const end = input + 4 * count
  for (; input + 32 <= end; input += 32, out += 16) {
    storeEight<Out>(out, v128.load(input), v128.load(input, 16))
  }
  for (; input < end; input += 4, out += 2) storeOne<Out>(out, v128.load32_zero(input))
}

export function narrowFloat16(out: usize, input: usize, count: u32): void {
  narrow<Float16>(out, input, count)
}

export function narrowBfloat16(out: usize, input: usize, count: u32): void {
  narrow<Bfloat16>(out, input, count)
}
