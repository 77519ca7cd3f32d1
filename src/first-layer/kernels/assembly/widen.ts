// Arrays of 16 bits to float32.

import { firstFromBfloat16, firstFromFloat16, lastFromBfloat16, lastFromFloat16 } from './sixteen-bits'

export function widenFloat16(out: usize, input: usize, count: u32): void {
  const end = input + 2 * count
  for (; input + 16 <= end; input += 16, out += 32) {
    const words = v128.load(input)
    v128.store(out, firstFromFloat16(words))
    v128.store(out, lastFromFloat16(words), 16)
  }
  for (; input < end; input += 2, out += 4) {
    v128.store32_lane(out, firstFromFloat16(v128.load16_splat(input)), 0)
  }
}

export function widenBfloat16(out: usize, input: usize, count: u32): void {
  const end = input + 2 * count
  for (; input + 16 <= end; input += 16, out += 32) {
    const words = v128.load(input)
    v128.store(out, firstFromBfloat16(words))
    v128.store(out, lastFromBfloat16(words), 16)
  }
  for (; input < end; input += 2, out += 4) store<u32>(out, (<u32>load<u16>(input)) << 16)
}
