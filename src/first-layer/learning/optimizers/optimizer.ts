import type { LearningKernels } from '../../kernels/learning-kernels.js'
import { number, type Options, type OptionValues } from '../../options.js'

/** Rows of one table that a kernel changes together. */
interface RowBatch {
  /** Address of their entries, `STEP_ENTRY` numbers each. */
  readonly entries: number
  readonly count: number
  /** C */
  readonly dim: number
  /** Bytes from a row's first state to its next. */
  readonly stateBytes: number
  /** Multiplies the gradients first, as `clip_grad_norm_` does. */
  readonly scale: number
}

/** Changes rows and their states. Returns Σ (new − old)² in float64. */
export type UpdateRows = (kernels: LearningKernels, batch: RowBatch) => number

/** One of `torch.optim`'s optimizers: names, defaults and meaning of the options are PyTorch's. */
interface OptimizerLaw<Shape extends Options> {
  readonly options: Shape
  /** The rule that options break together: the option and its rule. */
  problem?(options: OptionValues<Shape>): readonly [name: string, rule: string] | undefined
  /** Names of its states, each as large as the rows that learn, in their order in memory. */
  states(options: OptionValues<Shape>): readonly string[]
  /** The number that states are filled with before the first step. Absent: 0. */
  initialState?(options: OptionValues<Shape>): number
  /** Whether rows without a gradient move. */
  movesAllRows(options: OptionValues<Shape>): boolean
  /** @param step of the table, from 1 */
  update(options: OptionValues<Shape>, step: number): UpdateRows
}

export type AnyOptimizerLaw = OptimizerLaw<Options>

/** Type-checks an optimizer against its options, then erases their type. */
export function optimizerLaw<Shape extends Options>(law: OptimizerLaw<Shape>): AnyOptimizerLaw {
  return law as unknown as AnyOptimizerLaw
}

/** Greatest float32: numbers beyond it would be infinite. */
const MAX_FLOAT32 = 2 ** 128 - 2 ** 104
/** Smallest float32 above 0. */
const MIN_FLOAT32 = 2 ** -149

/** A number that float32 can hold, from 0 on. */
export const notNegative = () => number(0, MAX_FLOAT32)

/** The same, and not 0 in float32 either. */
export const aboveZero = () => number(MIN_FLOAT32, MAX_FLOAT32)

export const learningRate = () => notNegative().describe('Learning rate.')

export const weightDecay = () =>
  notNegative().describe('Weight decay. Above 0, rows without a gradient move too.')

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
