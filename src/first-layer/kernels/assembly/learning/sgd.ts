// torch.optim.SGD's step. Parameters as in `LearningKernels`.

import { changedBits, noteChange, squaredChange } from './change'
import { fusedBy } from './fused'
import { loadLanes, storeLanes, sumOfTwo } from './lanes'

/** The new numbers of a part of a row. */
// @inline
function sgdLanes<T>(
  values: v128,
  gradient: usize,
  buffer: usize,
  scale: v128,
  hasDecay: bool,
  decay: v128,
  hasMomentum: bool,
  isFirst: bool,
  momentum: v128,
  momentumWide: v128,
  kept: v128,
  nesterov: bool,
  minusRate: v128,
): v128 {
  let g = f32x4.mul(loadLanes<T>(gradient), scale)
  if (hasDecay) g = fusedBy(decay, values, g)
  if (hasMomentum) {
    const moved = isFirst ? g : fusedBy(kept, g, f32x4.mul(loadLanes<T>(buffer), momentum))
    storeLanes<T>(buffer, moved)
    g = nesterov ? fusedBy(momentumWide, moved, g) : moved
  }
  return fusedBy(minusRate, g, values)
}

export function sgdRows(
  entries: usize,
  count: u32,
  dim: u32,
  scale: f32,
  minusRate: f32,
  decay: f32,
  momentum: f32,
  kept: f32,
  nesterov: bool,
  isFirst: bool,
): f64 {
  const rowBytes: usize = 4 * dim
  const fours = rowBytes & ~15
  const scales = f32x4.splat(scale)
  const hasDecay = decay !== 0
  const decays = f64x2.splat(<f64>decay)
  const hasMomentum = momentum !== 0
  const momenta = f32x4.splat(momentum)
  const momentaWide = f64x2.splat(<f64>momentum)
  const keeps = f64x2.splat(<f64>kept)
  const rates = f64x2.splat(<f64>minusRate)
  let squares = f64x2.splat(0)
  for (let i: u32 = 0; i < count; i++, entries += 16) {
    const row = <usize>load<u32>(entries)
    const gradient = <usize>load<u32>(entries, 4)
    const buffer = <usize>load<u32>(entries, 8)
    let changed = i32x4.splat(0)
    let at: usize = 0
    for (; at < fours; at += 16) {
      const old = v128.load(row + at)
      // biome-ignore format: one call, twice
      const updated = sgdLanes<v128>(old, gradient + at, buffer + at, scales, hasDecay, decays, hasMomentum, isFirst, momenta, momentaWide, keeps, nesterov, rates)
      v128.store(row + at, updated)
      changed = v128.or(changed, changedBits<v128>(old, updated))
      squares = f64x2.add(squares, squaredChange<v128>(old, updated))
    }
    for (; at < rowBytes; at += 4) {
      const old = v128.load32_zero(row + at)
      // biome-ignore format: one call, twice
      const updated = sgdLanes<f32>(old, gradient + at, buffer + at, scales, hasDecay, decays, hasMomentum, isFirst, momenta, momentaWide, keeps, nesterov, rates)
      storeLanes<f32>(row + at, updated)
      changed = v128.or(changed, changedBits<f32>(old, updated))
      squares = f64x2.add(squares, squaredChange<f32>(old, updated))
    }
    noteChange(entries, changed)
  }
  return sumOfTwo(squares)
}
