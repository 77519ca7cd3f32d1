// torch.optim.SparseAdam's law for a part of a row, in which nothing is fused. Constants as in
// `LearningKernels.sparseAdamRows`.

import { loadLanes, storeLanes } from './lanes'

/** Stands for the law as a type parameter. */
export class SparseAdam {}

let scales = f32x4(0, 0, 0, 0)
let weights = f32x4(0, 0, 0, 0)
let squaresWeights = f32x4(0, 0, 0, 0)
let steps = f32x4(0, 0, 0, 0)
let epsilons = f32x4(0, 0, 0, 0)

export function setSparseAdam(
  scale: f32,
  weight: f32,
  squaresWeight: f32,
  minusStep: f32,
  epsilon: f32,
): void {
  scales = f32x4.splat(scale)
  weights = f32x4.splat(weight)
  squaresWeights = f32x4.splat(squaresWeight)
  steps = f32x4.splat(minusStep)
  epsilons = f32x4.splat(epsilon)
}

/** old + (target − old)·weight, rounded three times. */
// @inline
function nearer(old: v128, target: v128, weight: v128): v128 {
  return f32x4.add(f32x4.mul(f32x4.sub(target, old), weight), old)
}

/** The new numbers; changes exp_avg at `average`, and exp_avg_sq, `stateBytes` after it. */
// @inline
export function sparseAdamLanes<T>(old: v128, gradient: usize, average: usize, stateBytes: usize): v128 {
  const g = f32x4.mul(loadLanes<T>(gradient), scales)
  const mean = nearer(loadLanes<T>(average), g, weights)
  storeLanes<T>(average, mean)
  const squares = nearer(loadLanes<T>(average + stateBytes), f32x4.mul(g, g), squaresWeights)
  storeLanes<T>(average + stateBytes, squares)
  const quotient = f32x4.div(mean, f32x4.add(f32x4.sqrt(squares), epsilons))
  return f32x4.add(old, f32x4.mul(steps, quotient))
}
