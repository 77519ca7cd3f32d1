// torch.optim.SGD's law for a part of a row. Constants as in `LearningKernels.sgdRows`.

import { fusedBy } from './fused'
import { loadLanes, storeLanes } from './lanes'

/** Stands for the law as a type parameter. */
export class Sgd {}
/** The same without weight decay and momentum. */
export class PlainSgd {}

let scales = f32x4(0, 0, 0, 0)
let rates = f64x2(0, 0)
let decays = f64x2(0, 0)
let momenta = f32x4(0, 0, 0, 0)
let wideMomenta = f64x2(0, 0)
let keeps = f64x2(0, 0)
let hasDecay = false
let hasMomentum = false
let isNesterov: bool = false
let isFirstStep: bool = false

export function setSgd(
  scale: f32,
  minusRate: f32,
  decay: f32,
  momentum: f32,
  kept: f32,
  nesterov: bool,
  isFirst: bool,
): void {
  scales = f32x4.splat(scale)
  rates = f64x2.splat(<f64>minusRate)
  decays = f64x2.splat(<f64>decay)
  momenta = f32x4.splat(momentum)
  wideMomenta = f64x2.splat(<f64>momentum)
  keeps = f64x2.splat(<f64>kept)
  hasDecay = decay !== 0
  hasMomentum = momentum !== 0
  isNesterov = nesterov
  isFirstStep = isFirst
}

/** The new numbers without decay and momentum. */
// @inline
export function plainSgdLanes<T>(old: v128, gradient: usize): v128 {
  return fusedBy(rates, f32x4.mul(loadLanes<T>(gradient), scales), old)
}

/** The new numbers; changes the buffer. */
// @inline
export function sgdLanes<T>(old: v128, gradient: usize, buffer: usize): v128 {
  let g = f32x4.mul(loadLanes<T>(gradient), scales)
  if (hasDecay) g = fusedBy(decays, old, g)
  if (hasMomentum) {
    const moved = isFirstStep ? g : fusedBy(keeps, g, f32x4.mul(loadLanes<T>(buffer), momenta))
    storeLanes<T>(buffer, moved)
    g = isNesterov ? fusedBy(wideMomenta, moved, g) : moved
  }
  return fusedBy(rates, g, old)
}
