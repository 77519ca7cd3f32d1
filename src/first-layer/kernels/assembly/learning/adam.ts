// The steps of torch.optim.Adam and AdamW, single tensor. Parameters as in `LearningKernels`.

import { changedBits, noteChange, squaredChange } from './change'
import { fused, fusedBy } from './fused'
import { loadLanes, storeLanes, sumOfTwo } from './lanes'

/** The new numbers of a part of a row. `average` is exp_avg's place; exp_avg_sq and max_exp_avg_sq follow it. */
// @inline
function adamLanes<T>(
  old: v128,
  gradient: usize,
  average: usize,
  stateBytes: usize,
  scale: v128,
  hasDecay: bool,
  decay: v128,
  shrink: v128,
  weight: v128,
  fromGradient: bool,
  keptSquares: v128,
  newSquares: v128,
  amsgrad: bool,
  minusStep: v128,
  root: v128,
  epsilon: v128,
): v128 {
  const values = f32x4.mul(old, shrink)
  let g = f32x4.mul(loadLanes<T>(gradient), scale)
  if (hasDecay) g = fusedBy(decay, values, g)
  const before = loadLanes<T>(average)
  const mean = fusedBy(weight, f32x4.sub(g, before), fromGradient ? g : before)
  storeLanes<T>(average, mean)
  const squaresAt = average + stateBytes
  let squares = fused(f32x4.mul(newSquares, g), g, f32x4.mul(loadLanes<T>(squaresAt), keptSquares))
  storeLanes<T>(squaresAt, squares)
  if (amsgrad) {
    squares = f32x4.max(loadLanes<T>(squaresAt + stateBytes), squares)
    storeLanes<T>(squaresAt + stateBytes, squares)
  }
  const divisor = f32x4.add(f32x4.div(f32x4.sqrt(squares), root), epsilon)
  return f32x4.add(values, f32x4.div(f32x4.mul(minusStep, mean), divisor))
}

export function adamRows(
  entries: usize,
  count: u32,
  dim: u32,
  scale: f32,
  stateBytes: usize,
  decay: f32,
  shrink: f32,
  weight: f32,
  fromGradient: bool,
  keptSquares: f32,
  newSquares: f32,
  amsgrad: bool,
  minusStep: f32,
  root: f32,
  epsilon: f32,
): f64 {
  const rowBytes: usize = 4 * dim
  const fours = rowBytes & ~15
  const scales = f32x4.splat(scale)
  const hasDecay = decay !== 0
  const decays = f64x2.splat(<f64>decay)
  const shrinks = f32x4.splat(shrink)
  const weights = f64x2.splat(<f64>weight)
  const keeps = f32x4.splat(keptSquares)
  const adds = f32x4.splat(newSquares)
  const steps = f32x4.splat(minusStep)
  const roots = f32x4.splat(root)
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
      const updated = adamLanes<v128>(old, gradient + at, average + at, stateBytes, scales, hasDecay, decays, shrinks, weights, fromGradient, keeps, adds, amsgrad, steps, roots, epsilons)
      v128.store(row + at, updated)
      changed = v128.or(changed, changedBits<v128>(old, updated))
      squares = f64x2.add(squares, squaredChange<v128>(old, updated))
    }
    for (; at < rowBytes; at += 4) {
      const old = v128.load32_zero(row + at)
      // biome-ignore format: one call, twice
      const updated = adamLanes<f32>(old, gradient + at, average + at, stateBytes, scales, hasDecay, decays, shrinks, weights, fromGradient, keeps, adds, amsgrad, steps, roots, epsilons)
      storeLanes<f32>(row + at, updated)
      changed = v128.or(changed, changedBits<f32>(old, updated))
      squares = f64x2.add(squares, squaredChange<f32>(old, updated))
    }
    noteChange(entries, changed)
  }
  return sumOfTwo(squares)
}
