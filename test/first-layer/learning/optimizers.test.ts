import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fused } from '../../../src/first-layer/learning/fused.js'
import { integerPower, OPTIMIZERS } from '../../../src/first-layer/learning/optimizers.js'
import { checkProperty } from '../../property.js'
import { fusedMultiplyAdd } from '../../twins/fused-multiply-add.js'
import { adagradTwin, adamTwin, sgdTwin, sparseAdamTwin } from '../../twins/learning/steps.js'
import { bits } from '../random/goldens.js'

const sameBits = (values: Float32Array) =>
  bits(values).map((word, i) => (Number.isNaN(values[i]) ? 'NaN' : word))

/** Any float32: NaN, infinities, subnormals, both zeros; and, as often, numbers of one size, which round. */
const anyFloat = fc.oneof(
  fc.integer({ min: 0, max: 0xffff_ffff }).map((word) => new Float32Array(Uint32Array.of(word).buffer)[0]!),
  fc.float({ min: -4, max: 4, noNaN: true }),
  fc.float({ min: Math.fround(-1e-38), max: Math.fround(1e-38), noNaN: true }),
  fc.constantFrom(0, -0, 1, -1, 2 ** -149, Infinity, -Infinity, Number.NaN),
)
/** Values of options: finite and not negative, of any size. */
const constant = fc.oneof(
  fc.float({ min: 0, max: 2, noNaN: true }),
  fc.constantFrom(0, 1, 0.1, 0.001, 1e-8, 1e-40, 1e30),
)
const beta = fc.oneof(fc.double({ min: 0, max: 0.9999, noNaN: true }), fc.constantFrom(0, 0.4, 0.9, 0.999))
const betas = fc.tuple(beta, beta)
const step = fc.constantFrom(1, 2, 3, 1000)

test('a fused product and sum are rounded once, also in the middle of two numbers', async () => {
  await checkProperty(
    fc.property(anyFloat, anyFloat, anyFloat, (a, b, c) => {
      expect(fused(a, b, c)).toBe(fusedMultiplyAdd(a, b, c))
    }),
    20_000,
  )
  const [MAX, TINY] = [2 ** 128 - 2 ** 104, 2 ** -149]
  for (const [a, b, c] of [
    [1 + 2 ** -12, 1 + 2 ** -12, TINY],
    [1 + 2 ** -12, 1 + 2 ** -12, -TINY],
    [-1 - 2 ** -12, 1 + 2 ** -12, TINY],
    [2 ** 103, 1, MAX],
    [2 ** 103, 1 - 2 ** -24, MAX],
    [2 ** 60, 2 ** 43, MAX],
    [-(2 ** -75), 2 ** -75, 2 ** -126],
    [2 ** -75, 2 ** -75, TINY],
    [3 * 2 ** -75, 2 ** -75, -TINY],
  ] as const)
    expect(fused(a, b, c), `${a} · ${b} + ${c}`).toBe(fusedMultiplyAdd(a, b, c))
})

/** One row's numbers, gradients and three states, between guards. */
const rows = fc.integer({ min: 1, max: 21 }).chain((dim) => {
  const numbers = fc
    .array(anyFloat, { minLength: dim, maxLength: dim })
    .map((list) => Float32Array.from([7.5, ...list, 7.5]))
  return fc.record({ p: numbers, g: numbers, states: fc.tuple(numbers, numbers, numbers) })
})
type Row = typeof rows extends fc.Arbitrary<infer Value> ? Value : never

/** Moves the row; compares numbers and states with those of the twin. */
function expectTwin(
  type: string,
  options: object,
  number: number,
  { p, g, states }: Row,
  twin: (p: number, g: number, state: number[]) => number,
): void {
  const law = OPTIMIZERS[type]!
  const count = law.states(options as never).length
  const [expected, ...expectedStates] = [p, ...states.slice(0, count)].map((each) => each.slice())
  for (let at = 1; at < p.length - 1; at++) {
    const state = expectedStates.map((each) => each[at]!)
    expected![at] = twin(p[at]!, g[at]!, state)
    for (const [k, value] of state.entries()) expectedStates[k]![at] = value
  }
  const given = states.slice(0, count)
  law.mover(options as never, number)(p, 1, g.subarray(1, -1), given, 1)
  expect([p, ...given].map(sameBits)).toEqual([expected!, ...expectedStates].map(sameBits))
}

test('sgd moves a row as its twin', async () => {
  const options = fc.record({
    ...{ lr: constant, weight_decay: constant, momentum: constant },
    ...{ dampening: fc.constantFrom(0, 0.3, 1), nesterov: fc.boolean() },
  })
  await checkProperty(
    fc.property(rows, options, step, (row, given, number) => {
      const { lr, weight_decay: decay, momentum, dampening, nesterov } = given
      const constants = { decay, momentum, nesterov, scale: 1, minusRate: -lr, kept: 1 - dampening }
      const twin = (p: number, g: number, state: number[]) =>
        sgdTwin(p, g, state, { ...constants, isFirst: number === 1 })
      expectTwin('sgd', given, number, row, twin)
    }),
    1000,
  )
})

test('adagrad moves a row as its twin', async () => {
  const options = fc.record({ lr: constant, lr_decay: constant, weight_decay: constant, eps: constant })
  await checkProperty(
    fc.property(rows, options, step, (row, given, number) => {
      const { lr, lr_decay, weight_decay: decay, eps: epsilon } = given
      const minusRate = -lr / (1 + (number - 1) * lr_decay)
      const constants = { scale: 1, minusRate, decay, epsilon }
      expectTwin('adagrad', given, number, row, (p, g, state) => adagradTwin(p, g, state, constants))
    }),
    1000,
  )
})

test.each(['adam', 'adamw'])('%s moves a row as its twin', async (type) => {
  const options = fc.record({
    ...{ lr: constant, betas, eps: constant, weight_decay: constant, amsgrad: fc.boolean() },
  })
  await checkProperty(
    fc.property(rows, options, step, (row, given, number) => {
      const { lr, eps: epsilon, weight_decay, amsgrad } = given
      const [beta1, beta2] = given.betas
      const weight = Math.fround(1 - beta1)
      const fromGradient = weight >= 0.5
      const constants = {
        ...{ scale: 1, epsilon, amsgrad, fromGradient, weight: fromGradient ? weight - 1 : weight },
        ...{ keptSquares: beta2, newSquares: 1 - beta2 },
        decay: type === 'adam' ? weight_decay : 0,
        shrink: type === 'adam' ? 1 : 1 - lr * weight_decay,
        minusStep: -(lr / (1 - integerPower(beta1, number))),
        root: Math.sqrt(1 - integerPower(beta2, number)),
      }
      expectTwin(type, given, number, row, (p, g, state) => adamTwin(p, g, state, constants))
    }),
    1000,
  )
})

test('sparse_adam moves a row as its twin', async () => {
  const options = fc.record({ lr: constant, betas, eps: constant })
  await checkProperty(
    fc.property(rows, options, step, (row, given, number) => {
      const { lr, eps: epsilon } = given
      const [beta1, beta2] = given.betas
      const minusStep = -(lr * Math.sqrt(1 - integerPower(beta2, number))) / (1 - integerPower(beta1, number))
      const constants = { scale: 1, weight: 1 - beta1, squaresWeight: 1 - beta2, minusStep, epsilon }
      expectTwin('sparse_adam', given, number, row, (p, g, state) => sparseAdamTwin(p, g, state, constants))
    }),
    1000,
  )
})
