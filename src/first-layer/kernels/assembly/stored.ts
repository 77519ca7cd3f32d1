// The three types in which tables and answers store numbers, as type parameters of generic functions: `f32` and these
// two. Both have two bytes and are never used as integers; one is signed only so that the compiler can tell them apart.

import { firstFromBfloat16, firstFromFloat16, lastFromBfloat16, lastFromFloat16 } from './sixteen-bits'

export type Float16 = u16
export type Bfloat16 = i16

/** The first four of eight numbers, whose first 16 bytes are given, as float32. */
// @inline
export function firstFour<T>(loaded: v128): v128 {
  if (isFloat<T>()) return loaded
  return isSigned<T>() ? firstFromBfloat16(loaded) : firstFromFloat16(loaded)
}

/** The last four of the eight numbers at `at`, whose first 16 bytes are given, as float32. */
// @inline
export function lastFour<T>(loaded: v128, at: usize): v128 {
  if (isFloat<T>()) return v128.load(at, 16)
  return isSigned<T>() ? lastFromBfloat16(loaded) : lastFromFloat16(loaded)
}

/** Four numbers as float32. */
// @inline
export function four<T>(at: usize): v128 {
  return isFloat<T>() ? v128.load(at) : firstFour<T>(v128.load64_zero(at))
}

/** One number as float32, in the first lane. */
// @inline
export function one<T>(at: usize): v128 {
  return isFloat<T>() ? v128.load32_zero(at) : firstFour<T>(v128.load16_splat(at))
}

/** Writes `count` numbers as float32. */
// @inline
export function widen<T>(out: usize, from: usize, count: u32): void {
  const end = from + sizeof<T>() * count
  for (; from + 8 * sizeof<T>() <= end; from += 8 * sizeof<T>(), out += 32) {
    const loaded = v128.load(from)
    v128.store(out, firstFour<T>(loaded))
    v128.store(out, lastFour<T>(loaded, from), 16)
  }
  for (; from < end; from += sizeof<T>(), out += 4) v128.store32_lane(out, one<T>(from), 0)
}
