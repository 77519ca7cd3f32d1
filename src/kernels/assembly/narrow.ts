// Arrays of float32 to 16 bits and back.

import { fromFloat16, toBfloat16, toFloat16 } from './sixteen-bits'

export function narrowFloat16(out: usize, input: usize, count: u32): void {
  const end = input + 4 * count
  for (; input + 32 <= end; input += 32, out += 16) {
    v128.store(out, toFloat16(v128.load(input), v128.load(input, 16)))
  }
  for (; input < end; input += 4, out += 2) {
    const value = v128.load32_zero(input)
    store<u16>(out, <u16>i16x8.extract_lane_u(toFloat16(value, value), 0))
  }
}

export function narrowBfloat16(out: usize, input: usize, count: u32): void {
  const end = input + 4 * count
  for (; input + 32 <= end; input += 32, out += 16) {
    v128.store(out, toBfloat16(v128.load(input), v128.load(input, 16)))
  }
  for (; input < end; input += 4, out += 2) {
    const value = v128.load32_zero(input)
    store<u16>(out, <u16>i16x8.extract_lane_u(toBfloat16(value, value), 0))
  }
}

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
