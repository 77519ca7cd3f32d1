// float32 to 16 bits and back, rounded to nearest even.

/** Eight float32 numbers as float16. */
// @inline
export function toFloat16(first: v128, second: v128): v128 {
  return i16x8.narrow_i32x4_u(float16Lanes(first), float16Lanes(second))
}

/** Eight float32 numbers as bfloat16. */
// @inline
export function toBfloat16(first: v128, second: v128): v128 {
  return i16x8.narrow_i32x4_u(bfloat16Lanes(first), bfloat16Lanes(second))
}

// @inline
function float16Lanes(value: v128): v128 {
  const sign = v128.and(i32x4.shr_u(value, 16), i32x4.splat(0x8000))
  // Magnitudes from 2^16 on become float16's infinity.
  const magnitude = i32x4.min_u(v128.and(value, i32x4.splat(0x7fffffff)), i32x4.splat(143 << 23))
  // Adds 2^13 times the value's power of two (or of 2^-14, if that is larger): the addition then rounds to the
  // ten bits, or fewer, that float16 keeps. Scaling both by 4 puts the exponent in its place.
  const exponent = i32x4.max_u(v128.and(magnitude, i32x4.splat(0x7f800000)), i32x4.splat(113 << 23))
  const magic = i32x4.add(exponent, i32x4.splat(15 << 23))
  const sum = f32x4.add(f32x4.mul(magnitude, f32x4.splat(4)), magic)
  const bits = i32x4.add(
    v128.and(i32x4.shr_u(sum, 13), i32x4.splat(0x7c00)),
    v128.and(sum, i32x4.splat(0xfff)),
  )
  // NaN loses its payload.
  const nan = v128.and(f32x4.ne(value, value), i32x4.splat(0x200))
  return v128.or(v128.or(sign, nan), bits)
}

// @inline
function bfloat16Lanes(value: v128): v128 {
  const odd = v128.and(i32x4.shr_u(value, 16), i32x4.splat(1))
  const rounded = i32x4.shr_u(i32x4.add(i32x4.add(value, odd), i32x4.splat(0x7fff)), 16)
  return v128.bitselect(rounded, i32x4.splat(0x7fc0), f32x4.eq(value, value))
}

/** The first four of eight float16 numbers as float32. */
// @inline
export function firstFromFloat16(words: v128): v128 {
  return fromFloat16(i32x4.extend_low_i16x8_u(words))
}

/** The last four of eight float16 numbers as float32. */
// @inline
export function lastFromFloat16(words: v128): v128 {
  return fromFloat16(i32x4.extend_high_i16x8_u(words))
}

// @inline
function fromFloat16(words: v128): v128 {
  const sign = i32x4.shl(v128.and(words, i32x4.splat(0x8000)), 16)
  const magnitude = v128.and(words, i32x4.splat(0x7fff))
  // Infinity and NaN get float32's greatest exponent, which the multiplication leaves as it is.
  const special = v128.and(i32x4.gt_s(magnitude, i32x4.splat(0x7bff)), i32x4.splat(0x7f800000))
  const bits = v128.or(v128.or(sign, special), i32x4.shl(magnitude, 13))
  // The exponent's bias is float32's after a multiplication by 2^112, also for subnormals.
  return f32x4.mul(bits, f32x4.splat(<f32>5.192296858534828e33))
}

/** The first four of eight bfloat16 numbers as float32. A bfloat16 number is the upper half of the float32. */
// @inline
export function firstFromBfloat16(words: v128): v128 {
  return v128.shuffle<i16>(i16x8.splat(0), words, 0, 8, 1, 9, 2, 10, 3, 11)
}

/** The last four of eight bfloat16 numbers as float32. */
// @inline
export function lastFromBfloat16(words: v128): v128 {
  return v128.shuffle<i16>(i16x8.splat(0), words, 4, 12, 5, 13, 6, 14, 7, 15)
}
