import { z } from 'zod'
import { boundedList } from '../options/lists.js'
import { fused } from './fused.js'

const f32 = Math.fround

/**
 * Moves one row, p [C] at `at`, by its gradient g [C]; changes its states at `s`. All operations are float32, each rounded
 * once, in PyTorch's order.
 */
export type MoveRow = (
  p: Float32Array,
  at: number,
  g: Float32Array,
  states: readonly Float32Array[],
  s: number,
) => void

/** One of `torch.optim`'s optimizers: names, defaults and meaning of the options are PyTorch's. */
interface Optimizer<Options extends z.ZodObject> {
  readonly options: Options
  /** The rule that options break together: the option and its rule. */
  problem?(options: z.output<Options>): readonly [name: string, rule: string] | undefined
  /** Names of its states, each as large as the rows that learn. */
  states(options: z.output<Options>): readonly string[]
  /** The number that states are filled with before the first step. Absent: 0. */
  initialState?(options: z.output<Options>): number
  /** Whether rows without a gradient move. */
  movesAllRows(options: z.output<Options>): boolean
  /** @param step of the table, from 1 */
  mover(options: z.output<Options>, step: number): MoveRow
}

export type OptimizerLaw = Optimizer<z.ZodObject>

/** Type-checks an optimizer against its options, then erases their type. */
function law<Options extends z.ZodObject>(optimizer: Optimizer<Options>): OptimizerLaw {
  return optimizer as unknown as OptimizerLaw
}

/** Greatest float32: numbers beyond it would be infinite. */
const MAX_FLOAT32 = 2 ** 128 - 2 ** 104
/** Smallest float32 above 0. */
const MIN_FLOAT32 = 2 ** -149

/** A number that float32 can hold, from 0 on. */
export const notNegative = () => z.number().min(0).max(MAX_FLOAT32)
/** The same, and not 0 in float32 either. */
const aboveZero = () => z.number().min(MIN_FLOAT32).max(MAX_FLOAT32)

const lr = (value: number) => notNegative().default(value).describe('Learning rate.')
const eps = (rule: z.ZodNumber, value: number) => rule.default(value).describe('Added to the root.')
const weightDecay = (value: number) =>
  notNegative().default(value).describe('Weight decay. Above 0, rows without a gradient move too.')
const betas = () =>
  boundedList(z.number().min(0).lt(1), 2, 2)
    .default([0.9, 0.999])
    .describe('Decays of the averages of gradients and of their squares.')

/** `torch.optim.SGD`. Without momentum and weight decay only rows with a gradient move. */
const sgd = law({
  options: z.strictObject({
    lr: lr(0.001),
    momentum: notNegative().default(0).describe('Above 0, rows without a gradient move too.'),
    dampening: z.number().min(-1e6).max(1e6).default(0).describe('Dampening of the momentum.'),
    nesterov: z.boolean().default(false).describe('Nesterov’s momentum.'),
    weight_decay: weightDecay(0),
  }),
  problem({ momentum, dampening, nesterov }) {
    if (nesterov && (momentum === 0 || dampening !== 0))
      return ['nesterov', 'must be false without `momentum`, or with `dampening`']
    return undefined
  },
  states: ({ momentum }) => (momentum === 0 ? [] : ['momentum_buffer']),
  movesAllRows: ({ momentum, weight_decay }) => momentum !== 0 || weight_decay !== 0,
  mover({ nesterov, ...given }, step) {
    const [minusRate, decay, momentum] = [f32(-given.lr), f32(given.weight_decay), f32(given.momentum)]
    const kept = f32(1 - given.dampening)
    return (p, at, g, [buffer], s) => {
      for (let c = 0; c < g.length; c++) {
        let d = g[c]
        if (decay !== 0) d = fused(decay, p[at + c], d)
        if (momentum !== 0) {
          const moved = step === 1 ? d : fused(kept, d, f32(buffer[s + c] * momentum))
          buffer[s + c] = moved
          d = nesterov ? fused(momentum, moved, d) : moved
        }
        p[at + c] = fused(minusRate, d, p[at + c])
      }
    }
  },
})

/** `torch.optim.Adagrad`. Without weight decay only rows with a gradient move. */
const adagrad = law({
  options: z.strictObject({
    lr: lr(0.01),
    lr_decay: notNegative().default(0).describe('Decay of the learning rate.'),
    initial_accumulator_value: notNegative().default(0).describe('First value of the sums of squares.'),
    eps: eps(aboveZero(), 1e-10),
    weight_decay: weightDecay(0),
  }),
  states: () => ['sum'],
  initialState: ({ initial_accumulator_value }) => initial_accumulator_value,
  movesAllRows: ({ weight_decay }) => weight_decay !== 0,
  mover(given, step) {
    const minusRate = f32(-given.lr / (1 + (step - 1) * given.lr_decay))
    const [decay, epsilon] = [f32(given.weight_decay), f32(given.eps)]
    return (p, at, g, [sums], s) => {
      for (let c = 0; c < g.length; c++) {
        const d = decay === 0 ? g[c] : fused(decay, p[at + c], g[c])
        const sum = fused(d, d, sums[s + c])
        sums[s + c] = sum
        p[at + c] += f32(f32(minusRate * d) / f32(f32(Math.sqrt(sum)) + epsilon))
      }
    }
  },
})

/** `torch.optim.Adam` and `torch.optim.AdamW`, single tensor: all rows move. */
function adam(defaultDecay: number, isDecoupled: boolean): OptimizerLaw {
  return law({
    options: z.strictObject({
      lr: lr(0.001),
      betas: betas(),
      eps: eps(notNegative(), 1e-8),
      weight_decay: weightDecay(defaultDecay),
      amsgrad: z.boolean().default(false).describe('Divide by the greatest average of squares so far.'),
    }),
    states: ({ amsgrad }) => ['exp_avg', 'exp_avg_sq', ...(amsgrad ? ['max_exp_avg_sq'] : [])],
    movesAllRows: () => true,
    mover({ betas: [beta1, beta2], amsgrad, ...given }, step) {
      const decay = f32(isDecoupled ? 0 : given.weight_decay)
      const shrink = f32(isDecoupled ? 1 - given.lr * given.weight_decay : 1)
      // torch.lerp starts from the nearer end.
      const weight = f32(1 - beta1)
      const isFromGradient = weight >= 0.5
      const way = f32(isFromGradient ? weight - 1 : weight)
      const [kept, added, epsilon] = [f32(beta2), f32(1 - beta2), f32(given.eps)]
      const minusStep = f32(-(given.lr / (1 - integerPower(beta1, step))))
      const root = f32(Math.sqrt(1 - integerPower(beta2, step)))
      return (p, at, g, [averages, squares, greatest], s) => {
        for (let c = 0; c < g.length; c++) {
          const value = f32(p[at + c] * shrink)
          const d = decay === 0 ? g[c] : fused(decay, value, g[c])
          const before = averages[s + c]
          const average = fused(way, f32(d - before), isFromGradient ? d : before)
          averages[s + c] = average
          let square = fused(f32(added * d), d, f32(squares[s + c] * kept))
          squares[s + c] = square
          if (amsgrad) {
            square = Math.max(greatest[s + c], square)
            greatest[s + c] = square
          }
          const divisor = f32(f32(f32(Math.sqrt(square)) / root) + epsilon)
          p[at + c] = value + f32(f32(minusStep * average) / divisor)
        }
      }
    },
  })
}

/**
 * `torch.optim.SparseAdam`: only rows with a gradient move, and only their averages. Steps are counted for each table. Nothing
 * is fused.
 */
const sparseAdam = law({
  options: z.strictObject({ lr: lr(0.001), betas: betas(), eps: eps(aboveZero(), 1e-8) }),
  states: () => ['exp_avg', 'exp_avg_sq'],
  movesAllRows: () => false,
  mover({ betas: [beta1, beta2], ...given }, step) {
    const rate = (given.lr * Math.sqrt(1 - integerPower(beta2, step))) / (1 - integerPower(beta1, step))
    const [minusStep, epsilon] = [f32(-rate), f32(given.eps)]
    const [weight, squaresWeight] = [f32(1 - beta1), f32(1 - beta2)]
    return (p, at, g, [averages, squares], s) => {
      for (let c = 0; c < g.length; c++) {
        const before = averages[s + c]
        const squaresBefore = squares[s + c]
        const average = f32(f32(f32(g[c] - before) * weight) + before)
        const square = f32(f32(f32(f32(g[c] * g[c]) - squaresBefore) * squaresWeight) + squaresBefore)
        averages[s + c] = average
        squares[s + c] = square
        p[at + c] += f32(minusStep * f32(average / f32(f32(Math.sqrt(square)) + epsilon)))
      }
    }
  },
})

export const OPTIMIZERS: Readonly<Record<string, OptimizerLaw>> = {
  ...{ sgd, adagrad, adam: adam(0, false), adamw: adam(0.01, true), sparse_adam: sparseAdam },
}

/** 2^27 + 1: splits a float64 number into halves whose products are exact. */
const SPLITTER = 134_217_729

/** A number as high + low, about 106 bits. */
type Double = readonly [high: number, low: number]

/**
 * base^exponent in float64: 0.9^2 → 0.81. `Math.pow` differs between engines; this is the same everywhere, and almost
 * always correctly rounded.
 *
 * @param base 0 … 1
 * @param exponent a whole number from 1 on
 */
export function integerPower(base: number, exponent: number): number {
  let power: Double = [base, 0]
  let result: Double = [1, 0]
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = product(result, power)
    power = product(power, power)
  }
  return result[0]
}

/** Dekker's product. Source: T. J. Dekker, "A floating-point technique for extending the available precision", 1971. */
function product([a, aLow]: Double, [b, bLow]: Double): Double {
  const high = a * b
  const [a1, a2] = halves(a)
  const [b1, b2] = halves(b)
  const error = a2 * b2 - (high - a1 * b1 - a2 * b1 - a1 * b2)
  const low = error + (a * bLow + aLow * b)
  const sum = high + low
  return [sum, low - (sum - high)]
}

function halves(value: number): Double {
  const scaled = SPLITTER * value
  const high = scaled - (scaled - value)
  return [high, value - high]
}
