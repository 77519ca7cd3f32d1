// The optimizers' kernels: one walk over rows, made by the compiler for each law. Parameters as in `LearningKernels`.

import { burstRows, touchEntries } from '../burst'
import { Adagrad, adagradLanes, setAdagrad } from './adagrad'
import { Adam, adamLanes, setAdam } from './adam'
import { firstTwo, lastTwo, onlyLanes, storeLanes, sumOfTwo } from './lanes'
import { PlainSgd, plainSgdLanes, Sgd, setSgd, sgdLanes } from './sgd'
import { SparseAdam, setSparseAdam, sparseAdamLanes } from './sparse-adam'

/** The new numbers of a part of a row; changes its states. */
// @inline
function lawLanes<Law, T>(old: v128, gradient: usize, state: usize, stateBytes: usize): v128 {
  if (idof<Law>() === idof<PlainSgd>()) return plainSgdLanes<T>(old, gradient)
  if (idof<Law>() === idof<Sgd>()) return sgdLanes<T>(old, gradient, state)
  if (idof<Law>() === idof<Adagrad>()) return adagradLanes<T>(old, gradient, state)
  if (idof<Law>() === idof<Adam>()) return adamLanes<T>(old, gradient, state, stateBytes)
  return sparseAdamLanes<T>(old, gradient, state, stateBytes)
}

/** (new − old)² in float64, of four lanes in two. */
// @inline
function squaredChange<T>(old: v128, updated: v128): v128 {
  const first = f64x2.sub(firstTwo(updated), firstTwo(old))
  if (isFloat<T>()) return f64x2.mul(first, first)
  const last = f64x2.sub(lastTwo(updated), lastTwo(old))
  return f64x2.add(f64x2.mul(first, first), f64x2.mul(last, last))
}

/** @param states how many the law has, each `stateBytes` after the one before */
function walk<Law>(entries: usize, count: u32, dim: u32, states: u32, stateBytes: usize): f64 {
  const rowBytes: usize = 4 * dim
  const fours = rowBytes & ~15
  const burst = burstRows(rowBytes)
  let squares = f64x2.splat(0)
  for (let i: u32 = 0; i < count; i++, entries += 16) {
    if (i % burst === 0) touchEntries(entries, min(burst, count - i), rowBytes, states, stateBytes)
    const row = <usize>load<u32>(entries)
    const gradient = <usize>load<u32>(entries, 4)
    const state = <usize>load<u32>(entries, 8)
    let changed = i32x4.splat(0)
    let at: usize = 0
    for (; at < fours; at += 16) {
      const old = v128.load(row + at)
      const updated = lawLanes<Law, v128>(old, gradient + at, state + at, stateBytes)
      v128.store(row + at, updated)
      changed = v128.or(changed, v128.xor(old, updated))
      squares = f64x2.add(squares, squaredChange<v128>(old, updated))
    }
    for (; at < rowBytes; at += 4) {
      const old = v128.load32_zero(row + at)
      const updated = onlyLanes<f32>(lawLanes<Law, f32>(old, gradient + at, state + at, stateBytes))
      storeLanes<f32>(row + at, updated)
      changed = v128.or(changed, v128.xor(old, updated))
      squares = f64x2.add(squares, squaredChange<f32>(old, updated))
    }
    store<u32>(entries, <u32>v128.any_true(changed), 12)
  }
  return sumOfTwo(squares)
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
  setSgd(scale, minusRate, decay, momentum, kept, nesterov, isFirst)
  if (decay === 0 && momentum === 0) return walk<PlainSgd>(entries, count, dim, 0, 0)
  return walk<Sgd>(entries, count, dim, momentum !== 0 ? 1 : 0, 0)
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
  setAdagrad(scale, minusRate, decay, epsilon)
  return walk<Adagrad>(entries, count, dim, 1, 0)
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
  // biome-ignore format: the constants in their order
  setAdam(scale, decay, shrink, weight, fromGradient, keptSquares, newSquares, amsgrad, minusStep, root, epsilon)
  return walk<Adam>(entries, count, dim, amsgrad ? 3 : 2, stateBytes)
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
  setSparseAdam(scale, weight, squaresWeight, minusStep, epsilon)
  return walk<SparseAdam>(entries, count, dim, 2, stateBytes)
}
