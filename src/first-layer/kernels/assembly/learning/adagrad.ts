// torch.optim.Adagrad's law for a part of a row. Constants as in `LearningKernels.adagradRows`.

import { fused, fusedBy } from './fused'
import { loadLanes, storeLanes } from './lanes'

/** Stands for the law as a type parameter. */
export class Adagrad {}

let scales = f32x4(0, 0, 0, 0)
let rates = f32x4(0, 0, 0, 0)
let decays = f64x2(0, 0)
let epsilons = f32x4(0, 0, 0, 0)
let hasDecay = false

export function setAdagrad(scale: f32, minusRate: f32, decay: f32, epsilon: f32): void {
  scales = f32x4.splat(scale)
  rates = f32x4.splat(minusRate)
  decays = f64x2.splat(<f64>decay)
  epsilons = f32x4.splat(epsilon)
  hasDecay = decay !== 0
}

/** The new numbers; changes the sum of squares. */
// @inline
export function adagradLanes<T>(old: v128, gradient: usize, sum: usize): v128 {
  let g = f32x4.mul(loadLanes<T>(gradient), scales)
  if (hasDecay) g = fusedBy(decays, old, g)
  const squares = fused(g, g, loadLanes<T>(sum))
  storeLanes<T>(sum, squares)
  const divisor = f32x4.add(f32x4.sqrt(squares), epsilons)
  return f32x4.add(old, f32x4.div(f32x4.mul(rates, g), divisor))
}
