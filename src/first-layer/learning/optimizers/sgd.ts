import { boolean, number } from '../../options.js'
import { learningRate, notNegative, optimizerLaw, weightDecay } from './optimizer.js'

/** `torch.optim.SGD`. Without momentum and weight decay only the rows that came move. */
export const sgd = optimizerLaw({
  options: {
    lr: learningRate().default(0.001),
    momentum: notNegative().default(0).describe('Above 0, rows without a gradient move too.'),
    dampening: number(-1e6, 1e6).default(0).describe('Dampening of the momentum.'),
    nesterov: boolean().default(false).describe('Nesterov’s momentum.'),
    weight_decay: weightDecay().default(0),
  },
  problem({ momentum, dampening, nesterov }) {
    if (nesterov && (momentum === 0 || dampening !== 0)) {
      return ['nesterov', 'must be false without `momentum`, or with `dampening`']
    }
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
