import { boolean, fraction, type OptionValues, pair } from '../../options.js'
import { integerPower } from '../integer-power.js'
import {
  type AnyOptimizerLaw,
  learningRate,
  notNegative,
  optimizerLaw,
  type UpdateRows,
  weightDecay,
} from './optimizer.js'

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
