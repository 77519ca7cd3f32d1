// Arrays of float32 to 16 bits, rounded to nearest even.

import { toBfloat16, toFloat16 } from './sixteen-bits'

export function narrowFloat16(out: usize, input: usize, count: u32): void {
  const end = input + 4 * count
  for (; input + 32 <= end; input += 32, out += 16)
    v128.store(out, toFloat16(v128.load(input), v128.load(input, 16)))
  for (; input < end; input += 4, out += 2) {
    const one = v128.load32_zero(input)
    v128.store16_lane(out, toFloat16(one, one), 0)
  }
}

export function narrowBfloat16(out: usize, input: usize, count: u32): void {
  const end = input + 4 * count
  for (; input + 32 <= end; input += 32, out += 16)
    v128.store(out, toBfloat16(v128.load(input), v128.load(input, 16)))
  for (; input < end; input += 4, out += 2) {
    const one = v128.load32_zero(input)
    v128.store16_lane(out, toBfloat16(one, one), 0)
  }
}
