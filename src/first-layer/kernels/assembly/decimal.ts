// The shortest decimal of a float32: Schubfach by Raffaello Giulietti, in the form of Alexander Bolz's Drachennest
// (Boost Software License 1.0).

/** 10^e as 64 leading bits, rounded up, for e from −31 to 45. */
const POWERS = memory.data<u64>([
  0x81ceb32c4b43fcf5, 0xa2425ff75e14fc32, 0xcad2f7f5359a3b3f, 0xfd87b5f28300ca0e, 0x9e74d1b791e07e49,
  0xc612062576589ddb, 0xf79687aed3eec552, 0x9abe14cd44753b53, 0xc16d9a0095928a28, 0xf1c90080baf72cb2,
  0x971da05074da7bef, 0xbce5086492111aeb, 0xec1e4a7db69561a6, 0x9392ee8e921d5d08, 0xb877aa3236a4b44a,
  0xe69594bec44de15c, 0x901d7cf73ab0acda, 0xb424dc35095cd810, 0xe12e13424bb40e14, 0x8cbccc096f5088cc,
  0xafebff0bcb24aaff, 0xdbe6fecebdedd5bf, 0x89705f4136b4a598, 0xabcc77118461cefd, 0xd6bf94d5e57a42bd,
  0x8637bd05af6c69b6, 0xa7c5ac471b478424, 0xd1b71758e219652c, 0x83126e978d4fdf3c, 0xa3d70a3d70a3d70b,
  0xcccccccccccccccd, 0x8000000000000000, 0xa000000000000000, 0xc800000000000000, 0xfa00000000000000,
  0x9c40000000000000, 0xc350000000000000, 0xf424000000000000, 0x9896800000000000, 0xbebc200000000000,
  0xee6b280000000000, 0x9502f90000000000, 0xba43b74000000000, 0xe8d4a51000000000, 0x9184e72a00000000,
  0xb5e620f480000000, 0xe35fa931a0000000, 0x8e1bc9bf04000000, 0xb1a2bc2ec5000000, 0xde0b6b3a76400000,
  0x8ac7230489e80000, 0xad78ebc5ac620000, 0xd8d726b7177a8000, 0x878678326eac9000, 0xa968163f0a57b400,
  0xd3c21bcecceda100, 0x84595161401484a0, 0xa56fa5b99019a5c8, 0xcecb8f27f4200f3a, 0x813f3978f8940985,
  0xa18f07d736b90be6, 0xc9f2c9cd04674edf, 0xfc6f7c4045812297, 0x9dc5ada82b70b59e, 0xc5371912364ce306,
  0xf684df56c3e01bc7, 0x9a130b963a6c115d, 0xc097ce7bc90715b4, 0xf0bdc21abb48db21, 0x96769950b50d88f5,
  0xbc143fa4e250eb32, 0xeb194f8e1ae525fe, 0x92efd1b8d0cf37bf, 0xb7abc627050305ae, 0xe596b7b0c643c71a,
  0x8f7e32ce7bea5c70, 0xb35dbf821ae4f38c,
])

/** 10^n, n from 0 to 9. */
const SMALL_POWERS = memory.data<u32>([
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
])

/** floor(g · c / 2^64), its last bit set if anything was cut off. */
// @inline
function roundedToOdd(power: u64, value: u32): u32 {
  const middle = (power >> 32) * <u64>value + (((power & 0xffffffff) * <u64>value) >> 32)
  return <u32>(middle >> 32) | u32(<u32>middle > 1)
}

/**
 * Digits and exponent of a finite, positive float32, packed: digits · 2^32 + (exponent as u32), where the value is
 * digits · 10^exponent: the shortest that reads back to the value, the closest of equally short ones. May end in zeros.
 */
// @inline
export function shortestDecimal(bits: u32): u64 {
  const mantissa = bits & 0x7fffff
  const biased = <i32>(bits >>> 23)
  const normal = biased !== 0
  const c = mantissa | (u32(normal) << 23)
  const q = biased + i32(!normal) - 150
  const odd = c & 1
  // The next value below a power of two is half as far away.
  const closer = u32(mantissa === 0) & u32(biased > 1)

  const k = (q * 1262611 - (closer ? 524031 : 0)) >> 22
  const shift = q + ((-k * 1741647) >> 19) + 1
  const power = load<u64>(POWERS + 8 * (31 - k))
  const lower = roundedToOdd(power, (4 * c - 2 + closer) << shift) + odd
  const value = roundedToOdd(power, (4 * c) << shift)
  const upper = roundedToOdd(power, (4 * c + 2) << shift) - odd

  const s: u32 = value >> 2
  const tens: u32 = s / 10
  const tensBelow = u32(lower <= 40 * tens)
  const tensAbove = u32(40 * tens + 40 <= upper)
  const short = u32(tensBelow !== tensAbove) & u32(s >= 10)

  const below = u32(lower <= 4 * s)
  const above = u32(4 * s + 4 <= upper)
  const middle: u32 = 4 * s + 2
  const nearer = u32(value > middle) | (u32(value === middle) & s & 1)
  const long = s + select<u32>(above, nearer, below !== above)
  const digits = select<u32>(tens + tensAbove, long, short)
  return ((<u64>digits) << 32) | <u64>(<u32>(k + i32(short)))
}

/** Number of digits of 1 … 2^32 − 1. */
// @inline
export function digitCount(value: u32): u32 {
  const low = ((32 - clz(value)) * 1233) >> 12
  return low + u32(value >= load<u32>(SMALL_POWERS + 4 * low))
}

/** 10^n, n from 0 to 9. */
// @inline
export function smallPower(n: u32): u32 {
  return load<u32>(SMALL_POWERS + 4 * n)
}

/** The eight digits of a number below 10^8 as bytes 0 … 9, the first one lowest. */
// @inline
export function eightDigits(value: u32): u64 {
  const thousands = value / 10000
  const fours = <u64>thousands | ((<u64>(value - thousands * 10000)) << 32)
  // A lane's number below 10^4 over 100, then its halves below 100 over 10, by multiplication.
  const hundreds = ((fours * 10486) >> 20) & 0x0000007f0000007f
  const twos = hundreds | ((fours - hundreds * 100) << 16)
  const tens = ((twos * 103) >> 10) & 0x000f000f000f000f
  return tens | ((twos - tens * 10) << 8)
}

/** {@link eightDigits} of two whole doubles below 10^8. */
// @inline
export function eightDigitsOfTwo(values: v128): v128 {
  const half = f64x2.splat(0.5)
  const thousands = f64x2.floor(f64x2.mul(f64x2.add(values, half), f64x2.splat(1e-4)))
  const rests = f64x2.sub(values, f64x2.mul(thousands, f64x2.splat(1e4)))
  // Adding 2^52 leaves an integer in the low bits.
  const magic = f64x2.splat(4503599627370496)
  const low = v128.and(f64x2.add(thousands, magic), i64x2.splat(0xffff))
  const fours = v128.or(low, i64x2.shl(f64x2.add(rests, magic), 32))
  const hundreds = i32x4.shr_u(i32x4.mul(fours, i32x4.splat(10486)), 20)
  const twos = v128.or(hundreds, i32x4.shl(i32x4.sub(fours, i32x4.mul(hundreds, i32x4.splat(100))), 16))
  const tens = i16x8.shr_u(i16x8.mul(twos, i16x8.splat(103)), 10)
  return v128.or(tens, i16x8.shl(i16x8.sub(twos, i16x8.mul(tens, i16x8.splat(10))), 8))
}
