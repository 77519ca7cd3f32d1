// The law of torch.optim.Adam and AdamW, single tensor, for a part of a row. Constants as in `LearningKernels.adamRows`.

import { fused, fusedBy } from './fused'
import { loadLanes, storeLanes } from './lanes'

/** Stands for the law as a type parameter. */
export class Adam {}

let scales = f32x4(0, 0, 0, 0)
let decays = f64x2(0, 0)
let shrinks = f32x4(0, 0, 0, 0)
let weights = f64x2(0, 0)
let keeps = f32x4(0, 0, 0, 0)
let adds = f32x4(0, 0, 0, 0)
let steps = f32x4(0, 0, 0, 0)
let roots = f32x4(0, 0, 0, 0)
let epsilons = f32x4(0, 0, 0, 0)
let hasDecay = false
let isFromGradient: bool = false
let isAmsgrad: bool = false

export function setAdam(
  scale: f32,
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
): void {
  scales = f32x4.splat(scale)
  decays = f64x2.splat(<f64>decay)
  shrinks = f32x4.splat(shrink)
  weights = f64x2.splat(<f64>weight)
  keeps = f32x4.splat(keptSquares)
  adds = f32x4.splat(newSquares)
  steps = f32x4.splat(minusStep)
  roots = f32x4.splat(root)
  epsilons = f32x4.splat(epsilon)
  hasDecay = decay !== 0
  isFromGradient = fromGradient
  isAmsgrad = amsgrad
}

/** The new numbers; changes exp_avg at `average`, and exp_avg_sq and max_exp_avg_sq, `stateBytes` apart. */
// @inline
export function adamLanes<T>(old: v128, gradient: usize, average: usize, stateBytes: usize): v128 {
  const values = f32x4.mul(old, shrinks)
  let g = f32x4.mul(loadLanes<T>(gradient), scales)
  if (hasDecay) g = fusedBy(decays, values, g)
  const before = loadLanes<T>(average)
  const mean = fusedBy(weights, f32x4.sub(g, before), isFromGradient ? g : before)
  storeLanes<T>(average, mean)
  const squaresAt = average + stateBytes
  let squares = fused(f32x4.mul(adds, g), g, f32x4.mul(loadLanes<T>(squaresAt), keeps))
  storeLanes<T>(squaresAt, squares)
  if (isAmsgrad) {
    squares = f32x4.max(loadLanes<T>(squaresAt + stateBytes), squares)
    storeLanes<T>(squaresAt + stateBytes, squares)
  }
  const divisor = f32x4.add(f32x4.div(f32x4.sqrt(squares), roots), epsilons)
  return f32x4.add(values, f32x4.div(f32x4.mul(steps, mean), divisor))
}
