// Parts of a row: four float32 numbers (T: v128), or one in the first lane (T: f32) where a row ends between fours.

// @inline
export function loadLanes<T>(at: usize): v128 {
  return isFloat<T>() ? v128.load32_zero(at) : v128.load(at)
}

// @inline
export function storeLanes<T>(at: usize, value: v128): void {
  if (isFloat<T>()) v128.store32_lane(at, value, 0)
  else v128.store(at, value)
}

/** The lanes of the part; 0 in the others, in which anything may have been computed. */
// @inline
export function onlyLanes<T>(value: v128): v128 {
  return isFloat<T>() ? v128.and(value, i32x4(-1, 0, 0, 0)) : value
}

/** The first two of four float32 numbers as float64. */
// @inline
export function firstTwo(value: v128): v128 {
  return f64x2.promote_low_f32x4(value)
}

/** The last two of four float32 numbers as float64. */
// @inline
export function lastTwo(value: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<i64>(value, value, 1, 1))
}

// @inline
export function sumOfTwo(value: v128): f64 {
  return f64x2.extract_lane(value, 0) + f64x2.extract_lane(value, 1)
}
