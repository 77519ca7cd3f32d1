import { eightDigits } from './decimal'

const ZEROS: u64 = 0x3030303030303030

/** Writes an int32 in decimal; up to 11 bytes from `out` may be touched. Returns its end. */
// @inline
export function writeInteger(out: usize, value: i32): usize {
  store<u8>(out, 45)
  out += <u32>value >>> 31
  let magnitude = <u32>(value < 0 ? -value : value)
  if (magnitude >= 100000000) {
    const high = magnitude / 100000000
    magnitude -= high * 100000000
    if (high >= 10) store<u8>(out++, 48 + high / 10)
    store<u8>(out++, 48 + (high % 10))
    store<u64>(out, eightDigits(magnitude) + ZEROS)
    return out + 8
  }
  const digits = eightDigits(magnitude)
  // The last digit stays, even if it is a zero.
  const leading = <u32>ctz(digits | ((<u64>1) << 56)) & 56
  store<u64>(out, (digits + ZEROS) >> leading)
  return out + 8 - (leading >>> 3)
}
