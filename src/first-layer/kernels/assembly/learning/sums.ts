// Sums of gradients by row, and what is asked of gradients: whether they are finite, and their norm.

import { firstTwo, lastTwo, loadLanes, storeLanes, sumOfTwo } from './lanes'

/** In the third number of an entry: the target's sum begins here, and it ends here. */
const BEGINS: u32 = 1
const ENDS: u32 = 2

// @inline
function addLanes<T>(target: usize, source: usize, begins: bool): v128 {
  // From zero even where the source stands alone: −0 becomes 0.
  const before = begins ? f32x4.splat(0) : loadLanes<T>(target)
  const sum = f32x4.add(before, loadLanes<T>(source))
  storeLanes<T>(target, sum)
  return sum
}

/** sums + the squares of four numbers, in float64. */
// @inline
function addSquares(sums: v128, values: v128): v128 {
  const first = firstTwo(values)
  const last = lastTwo(values)
  return f64x2.add(sums, f64x2.add(f64x2.mul(first, first), f64x2.mul(last, last)))
}

/** target += source. Where it `ends`, returns the sum of the new numbers' squares in float64. */
// @inline
function addRow(target: usize, source: usize, rowBytes: usize, begins: bool, ends: bool): f64 {
  let even = f64x2.splat(0)
  let odd = f64x2.splat(0)
  let at: usize = 0
  for (; at + 32 <= rowBytes; at += 32) {
    const first = addLanes<v128>(target + at, source + at, begins)
    const last = addLanes<v128>(target + at + 16, source + at + 16, begins)
    if (ends) {
      even = addSquares(even, first)
      odd = addSquares(odd, last)
    }
  }
  for (; at < rowBytes; at += 4) {
    const sum = addLanes<f32>(target + at, source + at, begins)
    if (ends) even = addSquares(even, sum)
  }
  return sumOfTwo(f64x2.add(even, odd))
}

export function moveBytes(target: usize, source: usize, count: usize): void {
  memory.copy(target, source, count)
}

/** Parameters as in `LearningKernels`: an entry is the addresses of target and source, and `BEGINS`, `ENDS`. */
export function addRows(entries: usize, count: u32, dim: u32): void {
  const rowBytes: usize = 4 * dim
  for (let i: u32 = 0; i < count; i++, entries += 16) {
    const target = <usize>load<u32>(entries)
    const source = <usize>load<u32>(entries, 4)
    const flags = load<u32>(entries, 8)
    if (flags === (BEGINS | ENDS)) store<f64>(entries, addRow(target, source, rowBytes, true, true))
    else if (flags === BEGINS) addRow(target, source, rowBytes, true, false)
    else if (flags === ENDS) store<f64>(entries, addRow(target, source, rowBytes, false, true))
    else addRow(target, source, rowBytes, false, false)
  }
}

/** The sums of the squares of rows in float64, to the same bits as `addRows`: an entry begins with the row's address. */
export function squaresOfRows(entries: usize, count: u32, dim: u32): void {
  const rowBytes: usize = 4 * dim
  for (let i: u32 = 0; i < count; i++, entries += 16) {
    const row = <usize>load<u32>(entries)
    let even = f64x2.splat(0)
    let odd = f64x2.splat(0)
    let at: usize = 0
    for (; at + 32 <= rowBytes; at += 32) {
      even = addSquares(even, v128.load(row + at))
      odd = addSquares(odd, v128.load(row + at, 16))
    }
    for (; at < rowBytes; at += 4) even = addSquares(even, v128.load32_zero(row + at))
    store<f64>(entries, sumOfTwo(f64x2.add(even, odd)))
  }
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
