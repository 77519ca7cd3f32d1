// Numbers as JSON text, comma-separated. A number is written with wide stores: up to 24 bytes from its first one (12 for
// an int32) may be touched, later ones by the numbers that follow.

import { digitCount, eightDigits, shortestDecimal, smallPower } from './decimal'

const ZEROS: u64 = 0x3030303030303030

/** Where the decimal point stands between the digits: −5 … 9. */
const FIRST_POINT: i32 = -5
const LAST_POINT: i32 = 9

/** For each place of the point, which bytes of `ddddddddd.0` make the text. */
const LAYOUTS = memory.data<u8>([
  10, 9, 10, 10, 10, 10, 10, 0, 1, 2, 3, 4, 5, 6, 7, 8, // 0.00000d…
  10, 9, 10, 10, 10, 10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 255, // 0.0000d…
  10, 9, 10, 10, 10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 255, 255, // 0.000d…
  10, 9, 10, 10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 255, 255, 255, // 0.00d…
  10, 9, 10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 255, 255, 255, 255, // 0.0d…
  10, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 255, 255, 255, 255, 255, // 0.d…
  0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 255, 255, 255, 255, 255, 255, // d.d…
  0, 1, 9, 2, 3, 4, 5, 6, 7, 8, 255, 255, 255, 255, 255, 255, // dd.d…
  0, 1, 2, 9, 3, 4, 5, 6, 7, 8, 255, 255, 255, 255, 255, 255, // ddd.d…
  0, 1, 2, 3, 9, 4, 5, 6, 7, 8, 255, 255, 255, 255, 255, 255, // dddd.d…
  0, 1, 2, 3, 4, 9, 5, 6, 7, 8, 255, 255, 255, 255, 255, 255, // ddddd.d…
  0, 1, 2, 3, 4, 5, 9, 6, 7, 8, 255, 255, 255, 255, 255, 255, // dddddd.d…
  0, 1, 2, 3, 4, 5, 6, 9, 7, 8, 255, 255, 255, 255, 255, 255, // ddddddd.d…
  0, 1, 2, 3, 4, 5, 6, 7, 9, 8, 255, 255, 255, 255, 255, 255, // dddddddd.d…
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 255, 255, 255, 255, 255, 255, // ddddddddd.d…
])

/** JavaScript's other layouts: zeros up to 10^21, else an exponent. Returns the end. */
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

/** `0`, `"Infinity"`, `"NaN"`; the sign is there already, but a quote has to stand before it. */
function writeSpecial(out: usize, bits: u32): usize {
  const magnitude = bits & 0x7fffffff
  if (magnitude == 0) {
    store<u8>(out, 48)
    return out + 1
  }
  if (magnitude > 0x7f800000) {
    out -= <usize>(bits >>> 31)
    store<u32>(out, 0x4e614e22) // "NaN
    store<u8>(out, 34, 4)
    return out + 5
  }
  if (bits >>> 31) {
    store<u16>(out - 1, 0x2d22) // "-
    out += 1
  } else {
    store<u8>(out, 34)
    out += 1
  }
  store<u64>(out, 0x7974696e69666e49) // Infinity
  store<u8>(out, 34, 8)
  return out + 9
}

// @ts-ignore: decorator
@inline
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

  if (<u32>(point - FIRST_POINT) > <u32>(LAST_POINT - FIRST_POINT)) return writeLarge(out, first, rest, length, point)
  const text = i64x2.replace_lane(
    i64x2.splat((<u64>first | (rest << 8)) + ZEROS),
    1,
    ((rest >> 56) + 0x302e30),
  )
  v128.store(out, v128.swizzle(text, v128.load(LAYOUTS + 16 * <usize>(point - FIRST_POINT))))
  if (point <= 0) return out + 2 - point + length
  return out + max(<i32>length + <i32>(<i32>length > point), point)
}

/** Writes `count` float32 numbers; returns the bytes written. */
export function floatsToText(out: usize, input: usize, count: u32): u32 {
  if (count == 0) return 0
  const start = out
  const last = input + 4 * (count - 1)
  for (; input < last; input += 4) {
    out = writeFloat(out, load<u32>(input))
    store<u8>(out++, 44)
  }
  return <u32>(writeFloat(out, load<u32>(input)) - start)
}

// @ts-ignore: decorator
@inline
function writeInteger(out: usize, value: i32): usize {
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
  const leading = <u32>ctz(digits | (<u64>1 << 56)) & 56
  store<u64>(out, (digits + ZEROS) >> leading)
  return out + 8 - (leading >>> 3)
}

/** Writes `count` int32 numbers; returns the bytes written. */
export function int32sToText(out: usize, input: usize, count: u32): u32 {
  if (count == 0) return 0
  const start = out
  const last = input + 4 * (count - 1)
  for (; input < last; input += 4) {
    out = writeInteger(out, load<i32>(input))
    store<u8>(out++, 44)
  }
  return <u32>(writeInteger(out, load<i32>(input)) - start)
}
