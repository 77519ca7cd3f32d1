// torch.optim.Adagrad's step. Parameters as in `LearningKernels`.

import { changedBits, noteChange, squaredChange } from './change'
import { fused, fusedBy } from './fused'
import { loadLanes, storeLanes, sumOfTwo } from './lanes'

/** The new numbers of a part of a row. */
// @inline
function adagradLanes<T>(
  values: v128,
  gradient: usize,
  sum: usize,
  scale: v128,
  hasDecay: bool,
  decay: v128,
  minusRate: v128,
  epsilon: v128,
): v128 {
  let g = f32x4.mul(loadLanes<T>(gradient), scale)
  if (hasDecay) g = fusedBy(decay, values, g)
  const squares = fused(g, g, loadLanes<T>(sum))
  storeLanes<T>(sum, squares)
  const divisor = f32x4.add(f32x4.sqrt(squares), epsilon)
  return f32x4.add(values, f32x4.div(f32x4.mul(minusRate, g), divisor))
}

export function adagradRows(
  entries: usize,
  count: u32,
  dim: u32,
  scale: f32,
  minusRate: f32,
  decay: f32,
  epsilon: f32,
): f64 {
  const rowBytes: usize = 4 * dim
  const fours = rowBytes & ~15
  const scales = f32x4.splat(scale)
  const hasDecay = decay !== 0
  const decays = f64x2.splat(<f64>decay)
  const rates = f32x4.splat(minusRate)
  const epsilons = f32x4.splat(epsilon)
  let squares = f64x2.splat(0)
  for (let i: u32 = 0; i < count; i++, entries += 16) {
    const row = <usize>load<u32>(entries)
    const gradient = <usize>load<u32>(entries, 4)
    const sum = <usize>load<u32>(entries, 8)
    let changed = i32x4.splat(0)
    let at: usize = 0
    for (; at < fours; at += 16) {
      const old = v128.load(row + at)
      // biome-ignore format: one call, twice
      const updated = adagradLanes<v128>(old, gradient + at, sum + at, scales, hasDecay, decays, rates, epsilons)
      v128.store(row + at, updated)
      changed = v128.or(changed, changedBits<v128>(old, updated))
      squares = f64x2.add(squares, squaredChange<v128>(old, updated))
    }
    for (; at < rowBytes; at += 4) {
      const old = v128.load32_zero(row + at)
      // biome-ignore format: one call, twice
      const updated = adagradLanes<f32>(old, gradient + at, sum + at, scales, hasDecay, decays, rates, epsilons)
      storeLanes<f32>(row + at, updated)
      changed = v128.or(changed, changedBits<f32>(old, updated))
      squares = f64x2.add(squares, squaredChange<f32>(old, updated))
    }
    noteChange(entries, changed)
  }
  return sumOfTwo(squares)
}
