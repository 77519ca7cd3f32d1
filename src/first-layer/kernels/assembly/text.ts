// Numbers as JSON text, comma-separated. Stores are wide: writing a number may touch up to 24 bytes from its
// first byte on (12 for an int32), and the numbers that follow overwrite the excess.

import { digitCount, eightDigits, eightDigitsOfTwo, shortestDecimal, smallPower } from './decimal'
import { writeInteger } from './integer'
import { FIRST_POINT, LAST_POINT, LETTERS, layOut, layoutLength, layoutRow } from './layout'

const ZEROS: u64 = 0x3030303030303030

/** Writes a number in JavaScript's other layouts: with zeros up to 10^21, else with an exponent. Returns its end. */
function writeLarge(out: usize, first: u32, rest: u64, length: u32, point: i32): usize {
  store<u8>(out, 48 + first)
  if (point > LAST_POINT && point <= 21) {
    store<u64>(out, rest + ZEROS, 1)
    store<u64>(out, ZEROS, 9)
    store<u32>(out, <u32>ZEROS, 17)
    return out + point
  }
  let end = out + 1
  if (length > 1) {
    store<u8>(out, 46, 1)
    store<u64>(out, rest + ZEROS, 2)
    end += length
  }
  let exponent = point - 1
  const negative = exponent < 0
  if (negative) exponent = -exponent
  store<u8>(end, 101)
  store<u8>(end, negative ? 45 : 43, 1)
  end += 2
  if (exponent >= 10) store<u8>(end++, 48 + exponent / 10)
  store<u8>(end, 48 + (exponent % 10))
  return end + 1
}

/** Writes `0`, `"Infinity"` or `"NaN"`. A minus sign is already written; `"-Infinity"` gets its quote before it. */
function writeSpecial(out: usize, bits: u32): usize {
  const magnitude = bits & 0x7fffffff
  if (magnitude === 0) {
    store<u8>(out, 48)
    return out + 1
  }
  if (magnitude > 0x7f800000) {
    out -= <usize>(bits >>> 31)
    store<u32>(out, 0x4e614e22) // "NaN
    store<u8>(out, 34, 4)
    return out + 5
  }
  if (bits >>> 31)
    store<u16>(out - 1, 0x2d22) // "-
  else store<u8>(out, 34)
  store<u64>(out, 0x7974696e69666e49, 1) // Infinity
  store<u8>(out, 34, 9)
  return out + 10
}

/** Writes any float32; returns the end of its text. */
function writeFloat(out: usize, bits: u32): usize {
  store<u8>(out, 45)
  out += bits >>> 31
  const magnitude = bits & 0x7fffffff
  if (magnitude - 1 >= 0x7f7fffff) return writeSpecial(out, bits)

  const decimal = shortestDecimal(magnitude)
  const digits = <u32>(decimal >> 32)
  const count = digitCount(digits)
  const point = <i32>count + <i32>(<u32>decimal)
  const nine = digits * smallPower(9 - count)
  const first = nine / 100000000
  const rest = eightDigits(nine - first * 100000000)
  const length = 9 - (<u32>clz(rest) >>> 3)
  if (point < FIRST_POINT || point > LAST_POINT) return writeLarge(out, first, rest, length, point)
  const row = layoutRow(point, 0)
  v128.store(out, layOut(row, i64x2.replace_lane(i64x2.splat(rest + ZEROS), 1, LETTERS + first)))
  return out + layoutLength(row, length)
}

// The usual numbers, two at a time: from 2^-14 up to 2^24, except powers of two (below these the next number is
// nearer than above). Scaled by a power of ten they are exact in double, and so is half the distance to the next
// float32. If a multiple of ten lies nearer than that, it is the shortest decimal, otherwise the nearest integer
// is. (None lies exactly that far away: no point halfway between two of these float32 numbers becomes an
// integer.)

const FIRST_EXPONENT: u32 = 127 - 14
const LAST_EXPONENT: u32 = 127 + 23

/** For each exponent of a usual number: the power of ten, and that power times half the distance of two floats. */
const SCALES: usize = memory.data(16 * (150 - 113 + 1))
/** For each of these exponents: the place of the point if the scaled number has nine digits. */
const PLACES: usize = memory.data(150 - 113 + 1)

for (let exponent = FIRST_EXPONENT; exponent <= LAST_EXPONENT; exponent++) {
  const index = exponent - FIRST_EXPONENT
  const halfStep = reinterpret<f64>((<u64>(exponent - 151 + 1023)) << 52)
  let power: f64 = 1
  let digits: i32 = 0
  // The largest power at which two neighbouring float32 numbers are less than ten apart.
  for (; power * halfStep < 0.5; digits++) power *= 10
  store<f64>(SCALES + 16 * index, power)
  store<f64>(SCALES + 16 * index, power * halfStep, 8)
  store<u8>(PLACES + index, 9 - digits)
}

// @inline
function writeOne(out: usize, bits: u32, shift: i32, text: v128, rest: u64): usize {
  const place = <i32>load<i8>(PLACES + ((bits >>> 23) & 0xff) - FIRST_EXPONENT)
  const row = layoutRow(place + shift, bits >>> 31)
  v128.store(out, layOut(row, text))
  out += layoutLength(row, 9 - (<u32>clz(rest) >>> 3))
  store<u8>(out, 44)
  return out + 1
}

/** The two floats at `input`, given as doubles, each followed by a comma. */
// @inline
function writePair(out: usize, input: usize, magnitudes: v128): usize {
  const firstBits = load<u32>(input)
  const secondBits = load<u32>(input, 4)
  const firstScale = v128.load(SCALES + 16 * <usize>(((firstBits >>> 23) & 0xff) - FIRST_EXPONENT))
  const secondScale = v128.load(SCALES + 16 * <usize>(((secondBits >>> 23) & 0xff) - FIRST_EXPONENT))
  const scaled = f64x2.mul(magnitudes, v128.shuffle<i64>(firstScale, secondScale, 0, 2))
  const reach = v128.shuffle<i64>(firstScale, secondScale, 1, 3)
  const ten = f64x2.mul(f64x2.nearest(f64x2.mul(scaled, f64x2.splat(0.1))), f64x2.splat(10))
  const short = f64x2.lt(f64x2.abs(f64x2.sub(scaled, ten)), reach)
  let digits = v128.bitselect(ten, f64x2.nearest(scaled), short)

  // Numbers of seven or eight digits get zeros behind, so that all have nine.
  const eight = f64x2.lt(digits, f64x2.splat(1e8))
  const seven = f64x2.lt(digits, f64x2.splat(1e7))
  digits = v128.bitselect(f64x2.mul(digits, f64x2.splat(10)), digits, eight)
  digits = v128.bitselect(f64x2.mul(digits, f64x2.splat(10)), digits, seven)
  const shifts = i64x2.add(eight, seven)

  // Adding a half keeps rounding errors from making a whole quotient one too small.
  const half = f64x2.splat(0.5)
  const first = f64x2.floor(f64x2.mul(f64x2.add(digits, half), f64x2.splat(1e-8)))
  const others = f64x2.sub(digits, f64x2.mul(first, f64x2.splat(1e8)))
  const rests = eightDigitsOfTwo(others)
  // Adding 2^52 leaves an integer in the low bits.
  const firstDigits = v128.and(f64x2.add(first, f64x2.splat(4503599627370496)), i64x2.splat(15))
  const letters = i64x2.add(firstDigits, i64x2.splat(LETTERS))
  const texts = i64x2.add(rests, i64x2.splat(ZEROS))
  out = writeOne(
    out,
    firstBits,
    i32x4.extract_lane(shifts, 0),
    v128.shuffle<i64>(texts, letters, 0, 2),
    i64x2.extract_lane(rests, 0),
  )
  return writeOne(
    out,
    secondBits,
    i32x4.extract_lane(shifts, 2),
    v128.shuffle<i64>(texts, letters, 1, 3),
    i64x2.extract_lane(rests, 1),
  )
}

/** Whether all four numbers are usual. */
// @inline
function usual(values: v128): bool {
  const magnitudes = v128.and(values, i32x4.splat(0x7fffffff))
  const inRange = i32x4.lt_u(
    i32x4.sub(magnitudes, i32x4.splat(FIRST_EXPONENT << 23)),
    i32x4.splat((LAST_EXPONENT + 1 - FIRST_EXPONENT) << 23),
  )
  const notPower = v128.and(values, i32x4.splat(0x007fffff))
  return i32x4.all_true(v128.and(inRange, i32x4.ne(notPower, i32x4.splat(0))))
}

/** Writes `count` float32 numbers, comma-separated; returns the bytes written. */
function floatsToText(out: usize, input: usize, count: u32): u32 {
  if (count === 0) return 0
  const start = out
  const end = input + 4 * count
  while (input < end) {
    if (end - input >= 16 && usual(v128.load(input))) {
      const magnitudes = f32x4.abs(v128.load(input))
      out = writePair(out, input, f64x2.promote_low_f32x4(magnitudes))
      const high = v128.shuffle<i32>(magnitudes, magnitudes, 2, 3, 2, 3)
      out = writePair(out, input + 8, f64x2.promote_low_f32x4(high))
      input += 16
    } else {
      // Of a group of four that are not all usual only the first is written; the others start the next group.
      out = writeFloat(out, load<u32>(input))
      store<u8>(out++, 44)
      input += 4
    }
  }
  return <u32>(out - start) - 1
}

/** Writes `count` int32 numbers, comma-separated; returns the bytes written. */
function int32sToText(out: usize, input: usize, count: u32): u32 {
  if (count === 0) return 0
  const start = out
  const last = input + 4 * (count - 1)
  for (; input < last; input += 4) {
    out = writeInteger(out, load<i32>(input))
    store<u8>(out++, 44)
  }
  return <u32>(writeInteger(out, load<i32>(input)) - start)
}

/** `],[`, the text between two rows; the fourth byte is overwritten. */
const BETWEEN: u32 = 0x005b2c5d

/** Writes `rows` rows of `length` numbers with `],[` between them; returns the bytes written. */
// @inline
function rowsToText<T>(out: usize, input: usize, rows: u32, length: u32): u32 {
  const start = out
  for (let row: u32 = 0; row < rows; row++, input += 4 * length) {
    if (row > 0) {
      store<u32>(out, BETWEEN)
      out += 3
    }
    out += isFloat<T>() ? floatsToText(out, input, length) : int32sToText(out, input, length)
  }
  return <u32>(out - start)
}

export function floatRowsToText(out: usize, input: usize, rows: u32, length: u32): u32 {
  return rowsToText<f32>(out, input, rows, length)
}

export function int32RowsToText(out: usize, input: usize, rows: u32, length: u32): u32 {
  return rowsToText<i32>(out, input, rows, length)
}
