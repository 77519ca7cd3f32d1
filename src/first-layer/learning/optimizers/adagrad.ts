import { aboveZero, learningRate, notNegative, optimizerLaw, weightDecay } from './optimizer.js'

/** `torch.optim.Adagrad`. Without weight decay only the rows that came move. */
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
