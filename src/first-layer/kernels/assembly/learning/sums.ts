// Sums of gradients by row, and what is asked of gradients: whether they are finite, and their norm.

import { firstTwo, lastTwo, loadLanes, storeLanes, sumOfTwo } from './lanes'

// @inline
function addLanes<T>(target: usize, source: usize, isFirst: bool): void {
  // From zero even where the source stands alone: −0 becomes 0.
  const sum = isFirst ? f32x4.splat(0) : loadLanes<T>(target)
  storeLanes<T>(target, f32x4.add(sum, loadLanes<T>(source)))
}

/** Parameters as in `LearningKernels`: an entry is the addresses of target and source, and 1 where a sum begins. */
export function addRows(entries: usize, count: u32, dim: u32): void {
  const rowBytes: usize = 4 * dim
  const fours = rowBytes & ~15
  for (let i: u32 = 0; i < count; i++, entries += 12) {
    const target = <usize>load<u32>(entries)
    const source = <usize>load<u32>(entries, 4)
    const isFirst = load<u32>(entries, 8) !== 0
    let at: usize = 0
    for (; at < fours; at += 16) addLanes<v128>(target + at, source + at, isFirst)
    for (; at < rowBytes; at += 4) addLanes<f32>(target + at, source + at, isFirst)
  }
}

/** The sum of the squares of rows whose addresses stand at `rows`, in float64. */
export function squaresOfRows(rows: usize, count: u32, dim: u32): f64 {
  const rowBytes: usize = 4 * dim
  let first = f64x2.splat(0)
  let last = f64x2.splat(0)
  for (let i: u32 = 0; i < count; i++, rows += 4) {
    let at = <usize>load<u32>(rows)
    const end = at + rowBytes
    for (; at + 16 <= end; at += 16) {
      const values = v128.load(at)
      first = f64x2.add(first, f64x2.mul(firstTwo(values), firstTwo(values)))
      last = f64x2.add(last, f64x2.mul(lastTwo(values), lastTwo(values)))
    }
    for (; at < end; at += 4) {
      const value = firstTwo(v128.load32_zero(at))
      first = f64x2.add(first, f64x2.mul(value, value))
    }
  }
  return sumOfTwo(f64x2.add(first, last))
}

/** The greatest magnitude's bits in each lane of sixteen numbers: NaN and infinity have greater ones than any number. */
// @inline
function greatestBits(values: usize): v128 {
  const first = i32x4.max_u(i32x4.shl(v128.load(values), 1), i32x4.shl(v128.load(values, 16), 1))
  const last = i32x4.max_u(i32x4.shl(v128.load(values, 32), 1), i32x4.shl(v128.load(values, 48), 1))
  return i32x4.max_u(first, last)
}

/** The index of the first of `count` numbers that is NaN or infinite; `count` where all are finite. */
export function firstNonFinite(values: usize, count: u32): u32 {
  const infinity = i32x4.splat(0xff000000) // without its sign
  let i: u32 = 0
  for (; i + 16 <= count; i += 16) {
    if (v128.any_true(i32x4.ge_u(greatestBits(values + 4 * i), infinity))) break
  }
  for (; i < count; i++) {
    if (!(abs<f32>(load<f32>(values + 4 * i)) <= f32.MAX_VALUE)) return i
  }
  return count
}
