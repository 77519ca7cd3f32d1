// float32 to 16 bits and back, rounded to nearest even.

/** Eight float32 numbers as float16. */
// @ts-ignore: decorator
@inline
export function toFloat16(first: v128, second: v128): v128 {
  return i16x8.narrow_i32x4_u(float16Lanes(first), float16Lanes(second))
}

/** Eight float32 numbers as bfloat16. */
// @ts-ignore: decorator
@inline
export function toBfloat16(first: v128, second: v128): v128 {
  return i16x8.narrow_i32x4_u(bfloat16Lanes(first), bfloat16Lanes(second))
}

// @ts-ignore: decorator
@inline
function float16Lanes(value: v128): v128 {
  const sign = v128.and(i32x4.shr_u(value, 16), i32x4.splat(0x8000))
  const magnitude = v128.and(value, i32x4.splat(0x7fffffff))

  // Normal: half of the last kept bit is added (less one where that bit is even), and the exponent's bias changed.
  const odd = v128.and(i32x4.shr_u(magnitude, 13), i32x4.splat(1))
  const normal = i32x4.shr_u(i32x4.add(i32x4.add(magnitude, odd), i32x4.splat(0xfff - (112 << 23))), 13)
  // Below 2^-14: added to 0.5, whose last bit is float16's smallest step, the adder rounds.
  const subnormal = i32x4.sub(f32x4.add(magnitude, f32x4.splat(0.5)), i32x4.splat(0x3f000000))
  // From 65520 on the carry has made infinity; beyond 65536 it would go further. NaN loses its payload.
  const result = v128.bitselect(subnormal, normal, i32x4.lt_s(magnitude, i32x4.splat(113 << 23)))
  const infinity = v128.bitselect(
    i32x4.splat(0x7e00),
    i32x4.splat(0x7c00),
    i32x4.gt_s(magnitude, i32x4.splat(0x7f800000)),
  )
  const large = i32x4.ge_s(magnitude, i32x4.splat(143 << 23))
  return v128.or(sign, v128.bitselect(infinity, result, large))
}

// @ts-ignore: decorator
@inline
function bfloat16Lanes(value: v128): v128 {
  const odd = v128.and(i32x4.shr_u(value, 16), i32x4.splat(1))
  const rounded = i32x4.shr_u(i32x4.add(i32x4.add(value, odd), i32x4.splat(0x7fff)), 16)
  return v128.bitselect(rounded, i32x4.splat(0x7fc0), f32x4.eq(value, value))
}

/** Four float16 numbers, one to a lane, as float32. */
// @ts-ignore: decorator
@inline
export function fromFloat16(value: v128): v128 {
  const sign = i32x4.shl(v128.and(value, i32x4.splat(0x8000)), 16)
  const magnitude = v128.and(value, i32x4.splat(0x7fff))
  // The multiplication moves the exponent's bias, of subnormals too.
  const finite = f32x4.mul(i32x4.shl(magnitude, 13), f32x4.splat(<f32>5.192296858534828e33))
  const special = i32x4.ge_s(magnitude, i32x4.splat(0x7c00))
  return v128.or(v128.or(sign, finite), v128.and(special, i32x4.splat(0x7f800000)))
}
