// Arrays of 16 bits to float32, exactly.

import { Bfloat16, Float16, widen } from './stored'

export function widenFloat16(out: usize, input: usize, count: u32): void {
  widen<Float16>(out, input, count)
}

export function widenBfloat16(out: usize, input: usize, count: u32): void {
  widen<Bfloat16>(out, input, count)
}
