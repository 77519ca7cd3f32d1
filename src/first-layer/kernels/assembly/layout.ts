// Lays digits out as JavaScript prints a number without exponent, for a decimal point at places −5 … 9 of the digits.

export const FIRST_POINT: i32 = -5
export const LAST_POINT: i32 = 9
const POINTS: i32 = LAST_POINT - FIRST_POINT + 1

/** A swizzle picks the text from 16 bytes: bytes 0 to 7 are the digits after the first one, then come these four. */
const FIRST_DIGIT: u8 = 8
const POINT: u8 = 9
const ZERO: u8 = 10
const MINUS: u8 = 11

/** Bytes 8 to 15 of that vector; the caller adds the first digit to the lowest. */
export const LETTERS: u64 = 0x2d302e30

/** The bytes to pick for each place of the point, without and with a minus sign. */
const PICKS: usize = memory.data(16 * 2 * POINTS)

/** The text's length for the rows of `PICKS` and each number of digits, trailing zeros not counted. */
const LENGTHS: usize = memory.data(16 * 2 * POINTS)

/** The row of both tables for a place of the point and a sign (1: negative). */
// @inline
export function layoutRow(point: i32, negative: u32): u32 {
  return <u32>(point - FIRST_POINT) + negative * POINTS
}

/** The text of a vector of digits; bytes beyond {@link layoutLength} have no meaning. */
// @inline
export function layOut(row: u32, digits: v128): v128 {
  return v128.swizzle(digits, v128.load(PICKS + 16 * <usize>row))
}

// @inline
export function layoutLength(row: u32, digitCount: u32): u32 {
  return load<u8>(LENGTHS + 16 * <usize>row + digitCount)
}

function pickOf(point: i32, index: i32): u8 {
  if (point <= 0) {
    if (index === 1) return POINT
    if (index < 2 - point) return ZERO
    index -= 2 - point
  } else if (index === point) return POINT
  else if (index > point) index--
  return index === 0 ? FIRST_DIGIT : index <= 8 ? <u8>(index - 1) : 255
}

// Fills both tables when the module is instantiated.
for (let negative: i32 = 0; negative < 2; negative++) {
  for (let point = FIRST_POINT; point <= LAST_POINT; point++) {
    const row = 16 * <usize>layoutRow(point, negative)
    for (let index = 0; index < 16; index++) {
      store<u8>(PICKS + row + index, index < negative ? MINUS : pickOf(point, index - negative))
    }
    for (let count = 1; count <= 9; count++) {
      const length = point <= 0 ? 2 - point + count : count > point ? count + 1 : point
      store<u8>(LENGTHS + row + count, <u8>(negative + length))
    }
  }
}
