import { boolean, fraction, number, type OptionValues, pair } from '../../options.js'
import {
  type AnyOptimizerLaw,
  aboveZero,
  integerPower,
  learningRate,
  notNegative,
  optimizerLaw,
  type UpdateRows,
  weightDecay,
} from './optimizer.js'

/** `torch.optim.SGD`. Without momentum and weight decay only rows with a gradient move. */
export const sgd = optimizerLaw({
  options: {
    lr: learningRate().default(0.001),
    momentum: notNegative().default(0).describe('Above 0, rows without a gradient move too.'),
    dampening: number(-1e6, 1e6).default(0).describe('Dampening of the momentum.'),
    nesterov: boolean().default(false).describe('Nesterov’s momentum.'),
    weight_decay: weightDecay().default(0),
  },
  problem({ momentum, dampening, nesterov }) {
    if (nesterov && (momentum === 0 || dampening !== 0))
      return ['nesterov', 'must be false without `momentum`, or with `dampening`']
    return undefined
  },
  states: ({ momentum }) => (momentum === 0 ? [] : ['momentum_buffer']),
  movesAllRows: ({ momentum, weight_decay }) => momentum !== 0 || weight_decay !== 0,
  update({ lr, momentum, dampening, nesterov, weight_decay }, step) {
    return (kernels, { entries, count, dim, scale }) =>
      kernels.sgdRows(
        ...([entries, count, dim, scale, -lr, weight_decay, momentum, 1 - dampening] as const),
        nesterov,
        step === 1,
      )
  },
})

/** `torch.optim.Adagrad`. Without weight decay only rows with a gradient move. */
export const adagrad = optimizerLaw({
  options: {
    lr: learningRate().default(0.01),
    lr_decay: notNegative().default(0).describe('Decay of the learning rate.'),
    initial_accumulator_value: notNegative().default(0).describe('First value of the sums of squares.'),
    eps: aboveZero().default(1e-10).describe('Added to the root.'),
    weight_decay: weightDecay().default(0),
  },
  states: () => ['sum'],
  initialState: ({ initial_accumulator_value }) => initial_accumulator_value,
  movesAllRows: ({ weight_decay }) => weight_decay !== 0,
  update({ lr, lr_decay, eps, weight_decay }, step) {
    const rate = lr / (1 + (step - 1) * lr_decay)
    return (kernels, { entries, count, dim, scale }) =>
      kernels.adagradRows(entries, count, dim, scale, -rate, weight_decay, eps)
  },
})

const options = (decay: number) => ({
  lr: learningRate().default(0.001),
  betas: pair(fraction())
    .default([0.9, 0.999])
    .describe('Decays of the averages of gradients and of their squares.'),
  eps: notNegative().default(1e-8).describe('Added to the root.'),
  weight_decay: weightDecay().default(decay),
  amsgrad: boolean().default(false).describe('Divide by the greatest average of squares so far.'),
})

type AdamOptions = OptionValues<ReturnType<typeof options>>

/** `torch.optim.Adam` and `torch.optim.AdamW`, single tensor: all rows move. */
function adamLaw(defaultDecay: number, isDecoupled: boolean): AnyOptimizerLaw {
  return optimizerLaw({
    options: options(defaultDecay),
    states: ({ amsgrad }) => ['exp_avg', 'exp_avg_sq', ...(amsgrad ? ['max_exp_avg_sq'] : [])],
    movesAllRows: () => true,
    update: (given, step) => update(given, step, isDecoupled),
  })
}

function update(given: AdamOptions, step: number, isDecoupled: boolean): UpdateRows {
  const { lr, weight_decay, eps, amsgrad } = given
  const [beta1, beta2] = given.betas
  const coupled = isDecoupled ? 0 : weight_decay
  const shrink = isDecoupled ? 1 - lr * weight_decay : 1
  // torch.lerp starts from the nearer end.
  const weight = Math.fround(1 - beta1)
  const fromGradient = weight >= 0.5
  const minusStep = -(lr / (1 - integerPower(beta1, step)))
  const root = Math.sqrt(1 - integerPower(beta2, step))
  const constants = [coupled, shrink, fromGradient ? weight - 1 : weight, fromGradient] as const
  return (kernels, { entries, count, dim, scale, stateBytes }) =>
    kernels.adamRows(
      ...([entries, count, dim, scale, stateBytes] as const),
      ...constants,
      ...([beta2, 1 - beta2, amsgrad, minusStep, root, eps] as const),
    )
}

export const adam = adamLaw(0, false)
export const adamw = adamLaw(0.01, true)

/**
 * `torch.optim.SparseAdam`: only rows with a gradient move, and only their averages. Steps are counted for each
 * table.
 */
const sparseAdam = optimizerLaw({
  options: {
    lr: learningRate().default(0.001),
    betas: pair(fraction())
      .default([0.9, 0.999])
      .describe('Decays of the averages of gradients and of their squares.'),
    eps: aboveZero().default(1e-8).describe('Added to the root.'),
  },
  states: () => ['exp_avg', 'exp_avg_sq'],
  movesAllRows: () => false,
  update({ lr, betas: [beta1, beta2], eps }, step) {
    const rate = (lr * Math.sqrt(1 - integerPower(beta2, step))) / (1 - integerPower(beta1, step))
    return (kernels, { entries, count, dim, scale, stateBytes }) =>
      kernels.sparseAdamRows(entries, count, dim, scale, stateBytes, 1 - beta1, 1 - beta2, -rate, eps)
  },
})

export const OPTIMIZERS: Readonly<Record<string, AnyOptimizerLaw>> = {
  sgd,
  adagrad,
  adam,
  adamw,
  sparse_adam: sparseAdam,
}
