import { fraction, pair } from '../../options.js'
import { integerPower } from '../integer-power.js'
import { aboveZero, learningRate, optimizerLaw } from './optimizer.js'

/** `torch.optim.SparseAdam`: only the rows that came move, and only their averages. Steps are the table's. */
export const sparseAdam = optimizerLaw({
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
