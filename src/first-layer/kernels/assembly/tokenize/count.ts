/** Characters of `bytes` bytes of UTF-8 from `at` on: all bytes but continuations begin one. A character counts where it begins. */
export function countCharacters(at: usize, bytes: i32): i32 {
  const end = at + bytes
  let continuations: i32 = 0
  for (; at + 16 <= end; at += 16) {
    continuations += popcnt<i32>(i8x16.bitmask(i8x16.lt_s(v128.load(at), i8x16.splat(-64))))
  }
  for (; at < end; at++) continuations += i32(load<i8>(at) < -64)
  return bytes - continuations
}
