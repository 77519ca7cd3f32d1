// What a step did to a row: the squares of new − old in float64, and whether any bit differs.

import { firstTwo, lastTwo, onlyLanes } from './lanes'

/** Bits that differ; 0 outside the part of the row. */
// @inline
export function changedBits<T>(old: v128, updated: v128): v128 {
  return v128.xor(old, onlyLanes<T>(updated))
}

/** (new − old)² in float64, of four lanes in two. */
// @inline
export function squaredChange<T>(old: v128, updated: v128): v128 {
  const values = onlyLanes<T>(updated)
  const first = f64x2.sub(firstTwo(values), firstTwo(old))
  if (isFloat<T>()) return f64x2.mul(first, first)
  const last = f64x2.sub(lastTwo(values), lastTwo(old))
  return f64x2.add(f64x2.mul(first, first), f64x2.mul(last, last))
}

/** Notes in a row's entry whether any of its bits differ. */
// @inline
export function noteChange(entry: usize, changed: v128): void {
  store<u32>(entry, <u32>v128.any_true(changed), 12)
}
