// torch.optim.SparseAdam's step, in which nothing is fused. Parameters as in `LearningKernels`.

import { changedBits, noteChange, squaredChange } from './change'
import { loadLanes, storeLanes, sumOfTwo } from './lanes'

/** old + (target − old)·weight, rounded three times. */
// @inline
function nearer(old: v128, target: v128, weight: v128): v128 {
  return f32x4.add(f32x4.mul(f32x4.sub(target, old), weight), old)
}

/** The new numbers of a part of a row. `average` is exp_avg's place; exp_avg_sq follows it. */
// @inline
function sparseAdamLanes<T>(
  values: v128,
  gradient: usize,
  average: usize,
  stateBytes: usize,
  scale: v128,
  weight: v128,
  squaresWeight: v128,
  minusStep: v128,
  epsilon: v128,
): v128 {
  const g = f32x4.mul(loadLanes<T>(gradient), scale)
  const mean = nearer(loadLanes<T>(average), g, weight)
  storeLanes<T>(average, mean)
  const squares = nearer(loadLanes<T>(average + stateBytes), f32x4.mul(g, g), squaresWeight)
  storeLanes<T>(average + stateBytes, squares)
  const quotient = f32x4.div(mean, f32x4.add(f32x4.sqrt(squares), epsilon))
  return f32x4.add(values, f32x4.mul(minusStep, quotient))
}

export function sparseAdamRows(
  entries: usize,
  count: u32,
  dim: u32,
  scale: f32,
  stateBytes: usize,
  weight: f32,
  squaresWeight: f32,
  minusStep: f32,
  epsilon: f32,
): f64 {
  const rowBytes: usize = 4 * dim
  const fours = rowBytes & ~15
  const scales = f32x4.splat(scale)
  const weights = f32x4.splat(weight)
  const squaresWeights = f32x4.splat(squaresWeight)
  const steps = f32x4.splat(minusStep)
  const epsilons = f32x4.splat(epsilon)
  let squares = f64x2.splat(0)
  for (let i: u32 = 0; i < count; i++, entries += 16) {
    const row = <usize>load<u32>(entries)
    const gradient = <usize>load<u32>(entries, 4)
    const average = <usize>load<u32>(entries, 8)
    let changed = i32x4.splat(0)
    let at: usize = 0
    for (; at < fours; at += 16) {
      const old = v128.load(row + at)
      // biome-ignore format: one call, twice
      const updated = sparseAdamLanes<v128>(old, gradient + at, average + at, stateBytes, scales, weights, squaresWeights, steps, epsilons)
      v128.store(row + at, updated)
      changed = v128.or(changed, changedBits<v128>(old, updated))
      squares = f64x2.add(squares, squaredChange<v128>(old, updated))
    }
    for (; at < rowBytes; at += 4) {
      const old = v128.load32_zero(row + at)
      // biome-ignore format: one call, twice
      const updated = sparseAdamLanes<f32>(old, gradient + at, average + at, stateBytes, scales, weights, squaresWeights, steps, epsilons)
      storeLanes<f32>(row + at, updated)
      changed = v128.or(changed, changedBits<f32>(old, updated))
      squares = f64x2.add(squares, squaredChange<f32>(old, updated))
    }
    noteChange(entries, changed)
  }
  return sumOfTwo(squares)
}
