// Bytes to base64 (RFC 4648 §4), sixteen characters at a time, after W. Muła and D. Lemire, "Faster Base64 encoding and
// decoding using AVX2 instructions" (2018), §3.

/**
 * Writes `groups` groups of three bytes as four characters each. Four groups are done together: up to 9 bytes behind the
 * last group and 4 more are read, up to 12 characters behind the last one are written.
 */
export function toBase64(out: usize, input: usize, groups: u32): void {
  const end = out + 4 * groups
  for (; out < end; input += 12, out += 16) v128.store(out, characters(sextets(v128.load(input))))
}

/** 12 bytes → 16 numbers below 64, one a byte. */
// @inline
function sextets(bytes: v128): v128 {
  // Each group [a, b, c] becomes the lane [b, a, c, b]: its lower half holds a and b, its upper half b and c.
  const lanes = i8x16.swizzle(bytes, i8x16(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10))
  const first = i16x8.shr_u(v128.and(lanes, i32x4.splat(0x0000fc00)), 10)
  const third = i16x8.shr_u(v128.and(lanes, i32x4.splat(0x0fc00000)), 6)
  // Products shift to the left: the second by 4, the fourth by 8.
  const others = i16x8.mul(v128.and(lanes, i32x4.splat(0x003f03f0)), i32x4.splat(0x01000010))
  return v128.or(v128.or(first, third), others)
}

/** 0 … 63 → A … Z, a … z, 0 … 9, +, /: each number plus the distance of its range, which a table of 16 bytes holds. */
// @inline
function characters(numbers: v128): v128 {
  const behindLetters = i8x16.sub_sat_u(numbers, i8x16.splat(51)) // 0 for letters, 1 … 10 digits, 11 +, 12 /
  const areCapitals = i8x16.gt_s(i8x16.splat(26), numbers)
  const range = v128.or(behindLetters, v128.and(areCapitals, i8x16.splat(13)))
  const distances = i8x16(71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0)
  return i8x16.add(numbers, i8x16.swizzle(distances, range))
}
