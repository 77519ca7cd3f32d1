// Arrays of 16 bits to float32.

import { fromFloat16 } from './sixteen-bits'

export function widenFloat16(out: usize, input: usize, count: u32): void {
  const end = input + 2 * count
  for (; input + 8 <= end; input += 8, out += 16) {
    v128.store(out, fromFloat16(i32x4.extend_low_i16x8_u(v128.load64_zero(input))))
  }
  for (; input < end; input += 2, out += 4) {
    store<i32>(out, i32x4.extract_lane(fromFloat16(i32x4.splat(load<u16>(input))), 0))
  }
}

export function widenBfloat16(out: usize, input: usize, count: u32): void {
  const end = input + 2 * count
  for (; input + 8 <= end; input += 8, out += 16) {
    v128.store(out, i32x4.shl(i32x4.extend_low_i16x8_u(v128.load64_zero(input)), 16))
  }
  for (; input < end; input += 2, out += 4) store<u32>(out, <u32>load<u16>(input) << 16)
}
