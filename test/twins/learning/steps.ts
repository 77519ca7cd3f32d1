import { fusedMultiplyAdd as fma } from '../fused-multiply-add.js'

/** Twins of the optimizers' kernels: one element at a time, each operation rounded as it is written. */

const f32 = Math.fround

export interface SgdConstants {
  readonly scale: number
  readonly minusRate: number
  readonly decay: number
  readonly momentum: number
  readonly kept: number
  readonly nesterov: boolean
  readonly isFirst: boolean
}

/** p, g, state → the new p; changes the state. */
export function sgdTwin(p: number, gradient: number, state: number[], c: SgdConstants): number {
  let g = f32(gradient * f32(c.scale))
  if (f32(c.decay) !== 0) g = fma(f32(c.decay), p, g)
  if (f32(c.momentum) !== 0) {
    const buffer = c.isFirst ? g : fma(f32(c.kept), g, f32(state[0]! * f32(c.momentum)))
    state[0] = buffer
    g = c.nesterov ? fma(f32(c.momentum), buffer, g) : buffer
  }
  return fma(f32(c.minusRate), g, p)
}

export interface AdagradConstants {
  readonly scale: number
  readonly minusRate: number
  readonly decay: number
  readonly epsilon: number
}

export function adagradTwin(p: number, gradient: number, state: number[], c: AdagradConstants): number {
  let g = f32(gradient * f32(c.scale))
  if (f32(c.decay) !== 0) g = fma(f32(c.decay), p, g)
  state[0] = fma(g, g, state[0]!)
  const divisor = f32(f32(Math.sqrt(state[0])) + f32(c.epsilon))
  return f32(p + f32(f32(f32(c.minusRate) * g) / divisor))
}

export interface AdamConstants {
  readonly scale: number
  readonly decay: number
  readonly shrink: number
  readonly weight: number
  readonly fromGradient: boolean
  readonly keptSquares: number
  readonly newSquares: number
  readonly amsgrad: boolean
  readonly minusStep: number
  readonly root: number
  readonly epsilon: number
}

export function adamTwin(old: number, gradient: number, state: number[], c: AdamConstants): number {
  const p = f32(old * f32(c.shrink))
  let g = f32(gradient * f32(c.scale))
  if (f32(c.decay) !== 0) g = fma(f32(c.decay), p, g)
  const m = fma(f32(c.weight), f32(g - state[0]!), c.fromGradient ? g : state[0]!)
  let v = fma(f32(f32(c.newSquares) * g), g, f32(state[1]! * f32(c.keptSquares)))
  state[0] = m
  state[1] = v
  if (c.amsgrad) {
    v = Math.max(state[2]!, v)
    state[2] = v
  }
  const divisor = f32(f32(f32(Math.sqrt(v)) / f32(c.root)) + f32(c.epsilon))
  return f32(p + f32(f32(f32(c.minusStep) * m) / divisor))
}

export interface SparseAdamConstants {
  readonly scale: number
  readonly weight: number
  readonly squaresWeight: number
  readonly minusStep: number
  readonly epsilon: number
}

export function sparseAdamTwin(p: number, gradient: number, state: number[], c: SparseAdamConstants): number {
  const g = f32(gradient * f32(c.scale))
  const m = f32(f32(f32(g - state[0]!) * f32(c.weight)) + state[0]!)
  const v = f32(f32(f32(f32(g * g) - state[1]!) * f32(c.squaresWeight)) + state[1]!)
  state[0] = m
  state[1] = v
  const quotient = f32(m / f32(f32(Math.sqrt(v)) + f32(c.epsilon)))
  return f32(p + f32(f32(c.minusStep) * quotient))
}
