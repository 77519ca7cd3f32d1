// Rows of a table as base64 (RFC 4648 §4), sixteen characters at a time, after W. Muła and D. Lemire, "Faster Base64
// encoding and decoding using AVX2 instructions" (2018), §3.

import { burstRows, touchRows } from './burst'

/**
 * Writes the bytes of `rows` rows, one after the other, as base64, in whole groups of three.
 *
 * @param held bytes that come before the first row, and their number in the bits from 16 on: 0, 0x1_00aa, 0x2_aabb
 * @returns the bytes behind the last whole group, as `held`
 */
export function base64Rows(out: usize, table: usize, ids: usize, rows: u32, rowBytes: usize, held: u32): u32 {
  let count = held >> 16
  let group = held & 0xffff
  const burst = burstRows(rowBytes)
  for (let start: u32 = 0; start < rows; start += burst) {
    const stop = min(start + burst, rows)
    touchRows(table, ids, start, stop, rowBytes)
    for (let i = start; i < stop; i++) {
      let at = table + <usize>load<u32>(ids + 4 * i) * rowBytes
      const end = at + rowBytes
      if (count > 0) {
        for (; count < 3 && at < end; count++, at++) group = (group << 8) | load<u8>(at)
        if (count < 3) continue // a row of one or two bytes may not complete the group
        store<u32>(out, fourCharacters(group))
        out += 4
      }
      for (; at + 12 <= end; at += 12, out += 16) v128.store(out, characters(sextets(fourGroups(at))))
      for (; at + 3 <= end; at += 3, out += 4) {
        const bytes: u32 = ((<u32>load<u8>(at)) << 16) | ((<u32>load<u8>(at, 1)) << 8) | load<u8>(at, 2)
        store<u32>(out, fourCharacters(bytes))
      }
      for (count = 0, group = 0; at < end; count++, at++) group = (group << 8) | load<u8>(at)
    }
  }
  return (count << 16) | group
}

/**
 * 12 bytes as four lanes: each group [a, b, c] becomes [b, a, c, b], so that a lane's lower half holds a and b, its
 * upper half b and c. Loads from 4 bytes before: a table may end where the memory does, but never begins at address 0.
 */
// @inline
function fourGroups(at: usize): v128 {
  return i8x16.swizzle(v128.load(at - 4), i8x16(5, 4, 6, 5, 8, 7, 9, 8, 11, 10, 12, 11, 14, 13, 15, 14))
}

/** One group 0xaabbcc as four characters. */
// @inline
function fourCharacters(group: u32): u32 {
  const middle = (group >> 8) & 0xff
  const lane = middle | ((group >> 16) << 8) | ((group & 0xff) << 16) | (middle << 24)
  return i32x4.extract_lane(characters(sextets(i32x4.splat(lane))), 0)
}

/** The lanes' bytes → 16 numbers below 64, one a byte. */
// @inline
function sextets(lanes: v128): v128 {
  const first = i16x8.shr_u(v128.and(lanes, i32x4.splat(0x0000fc00)), 10)
  const third = i16x8.shr_u(v128.and(lanes, i32x4.splat(0x0fc00000)), 6)
  // Products shift to the left: the second by 4, the fourth by 8.
  const others = i16x8.mul(v128.and(lanes, i32x4.splat(0x003f03f0)), i32x4.splat(0x01000010))
  return v128.or(v128.or(first, third), others)
}

/** 0 … 63 → A … Z, a … z, 0 … 9, +, /: adds to each number the offset of its range, from a table of 16 bytes. */
// @inline
function characters(numbers: v128): v128 {
  const behindLetters = i8x16.sub_sat_u(numbers, i8x16.splat(51)) // 0 for letters, 1 … 10 digits, 11 +, 12 /
  const areCapitals = i8x16.gt_s(i8x16.splat(26), numbers)
  const range = v128.or(behindLetters, v128.and(areCapitals, i8x16.splat(13)))
  const distances = i8x16(71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0)
  return i8x16.add(numbers, i8x16.swizzle(distances, range))
}
