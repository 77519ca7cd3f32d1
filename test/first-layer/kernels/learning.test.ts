import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ADD_ENTRY,
  BEGINS,
  ENDS,
  instantiateLearningKernels,
  STEP_ENTRY,
} from '../../../src/first-layer/kernels/learning-kernels.js'
import { ModelMemory } from '../../../src/first-layer/kernels/model-memory.js'
import { checkProperty } from '../../property.js'
import { adagradTwin, adamTwin, sgdTwin, sparseAdamTwin } from '../../twins/learning/steps.js'
import { denseBackwardTwin } from '../../twins/learning/sums.js'
import { bits } from '../random/goldens.js'

const ROOM = 1 << 18
const memory = ModelMemory.create(1 << 22)
const kernels = instantiateLearningKernels(memory.memory)
const [entriesPlace, rowsPlace, gradientsPlace, statesPlace] = [0, 1, 2, 3].map(() =>
  memory.allocate(ROOM),
) as [number, number, number, number]

const sameBits = (values: Float32Array) =>
  bits(values).map((word, i) => (Number.isNaN(values[i]) ? 'NaN' : word))

/** Any float32: NaN, infinities, subnormals, both zeros; and, as often, numbers of one size, which round. */
const anyFloat = fc.oneof(
  fc.integer({ min: 0, max: 0xffff_ffff }).map((word) => new Float32Array(Uint32Array.of(word).buffer)[0]!),
  fc.float({ min: -4, max: 4, noNaN: true }),
  fc.float({ min: Math.fround(-1e-38), max: Math.fround(1e-38), noNaN: true }),
  fc.constantFrom(0, -0, 1, -1, 2 ** -149, Infinity, -Infinity, Number.NaN),
)
/** Constants: those of a law are finite and not negative, of any size. */
const constant = fc.oneof(
  fc.float({ min: 0, max: 2, noNaN: true }),
  fc.constantFrom(0, 1, 0.1, 0.001, 1e-8, 1e-40, 1e30),
)

interface Case {
  readonly dim: number
  readonly rows: number
  readonly values: Float32Array
  readonly gradients: Float32Array
  readonly states: Float32Array
}

const cases: fc.Arbitrary<Case> = fc
  .record({ dim: fc.integer({ min: 1, max: 21 }), rows: fc.integer({ min: 0, max: 4 }) })
  .chain(({ dim, rows }) => {
    const numbers = (count: number) =>
      fc.array(anyFloat, { minLength: count, maxLength: count }).map((list) => Float32Array.from(list))
    const [values, gradients, states] = [numbers(dim * rows), numbers(dim * rows), numbers(3 * dim * rows)]
    return fc.record({ dim: fc.constant(dim), rows: fc.constant(rows), values, gradients, states })
  })

const GUARD = 7.5

/** Runs an optimizer's kernel on rows with guards behind them; compares rows, states, marks and the sum with the twin. */
function expectTwin(
  { dim, rows, values, gradients, states }: Case,
  stateCount: number,
  kernel: (entries: number, count: number, dim: number, stateBytes: number) => number,
  twin: (p: number, g: number, state: number[]) => number,
): void {
  const size = dim * rows
  memory
    .float32(rowsPlace, size + 4)
    .fill(GUARD)
    .set(values)
  memory
    .float32(gradientsPlace, size + 4)
    .fill(GUARD)
    .set(gradients)
  memory
    .float32(statesPlace, 3 * size + 4)
    .fill(GUARD)
    .set(states)
  const entries = new Uint32Array(memory.memory.buffer, entriesPlace, rows * STEP_ENTRY)
  // The rows in reverse: each is found by its address.
  for (let i = 0; i < rows; i++) {
    const at = 4 * dim * (rows - 1 - i)
    entries.set([rowsPlace + at, gradientsPlace + at, statesPlace + at, 99], i * STEP_ENTRY)
  }
  const sum = kernel(entriesPlace, rows, dim, 4 * size)

  const expected = values.slice()
  const expectedStates = states.slice()
  const changed = Array<number>(rows).fill(0)
  let squares = 0
  for (let at = 0; at < size; at++) {
    const state = Array.from({ length: stateCount }, (_, k) => states[k * size + at]!)
    expected[at] = twin(values[at]!, gradients[at]!, state)
    for (const [k, value] of state.entries()) expectedStates[k * size + at] = value
    squares += (expected[at]! - values[at]!) ** 2
    if (bits(expected.slice(at, at + 1))[0] !== bits(values.slice(at, at + 1))[0]) {
      changed[rows - 1 - Math.floor(at / dim)] = 1
    }
  }
  expect(sameBits(memory.float32(rowsPlace, size).slice())).toEqual(sameBits(expected))
  expect(sameBits(memory.float32(statesPlace, 3 * size).slice())).toEqual(sameBits(expectedStates))
  for (const [place, count] of [
    [rowsPlace, size],
    [gradientsPlace, size],
    [statesPlace, 3 * size],
  ] as const) {
    expect([...memory.float32(place + 4 * count, 4)]).toEqual(Array(4).fill(GUARD))
  }
  // The bits of a NaN are the processor's choice.
  if (!expected.some(Number.isNaN)) {
    expect(Array.from({ length: rows }, (_, i) => entries[i * STEP_ENTRY + 3])).toEqual(changed)
  }
  if (Number.isFinite(squares) && squares > 0) expect(sum / squares).toBeCloseTo(1, 12)
  else expect(sum).toBe(squares)
}

describe('rows and states after a step of a kernel equal the twin’s', () => {
  test('plain sgd', async () => {
    const constants = fc.record({ scale: constant, minusRate: constant.map((rate) => -rate) })
    const none = { decay: 0, momentum: 0, kept: 1, nesterov: false, isFirst: true }
    await checkProperty(
      fc.property(cases, constants, (given, { scale, minusRate }) => {
        expectTwin(
          given,
          1,
          (entries, count, dim) =>
            kernels.sgdRows(entries, count, dim, scale, minusRate, 0, 0, 1, false, true),
          (p, g, state) => sgdTwin(p, g, state, { ...none, scale, minusRate }),
        )
      }),
      1000,
    )
  })

  test('sgd', async () => {
    const constants = fc.record({
      ...{ scale: constant, minusRate: constant.map((rate) => -rate), decay: constant, momentum: constant },
      ...{ kept: constant, nesterov: fc.boolean(), isFirst: fc.boolean() },
    })
    await checkProperty(
      fc.property(cases, constants, (given, c) => {
        const order = [c.scale, c.minusRate, c.decay, c.momentum, c.kept, c.nesterov, c.isFirst] as const
        expectTwin(
          given,
          1,
          (entries, count, dim) => kernels.sgdRows(entries, count, dim, ...order),
          (p, g, state) => sgdTwin(p, g, state, c),
        )
      }),
      1000,
    )
  })

  test('adagrad', async () => {
    const constants = fc.record({
      ...{ scale: constant, minusRate: constant.map((rate) => -rate), decay: constant, epsilon: constant },
    })
    await checkProperty(
      fc.property(cases, constants, (given, c) => {
        const order = [c.scale, c.minusRate, c.decay, c.epsilon] as const
        expectTwin(
          given,
          1,
          (entries, count, dim) => kernels.adagradRows(entries, count, dim, ...order),
          (p, g, state) => adagradTwin(p, g, state, c),
        )
      }),
      1000,
    )
  })

  test('adam and adamw', async () => {
    const constants = fc.record({
      ...{
        scale: constant,
        decay: constant,
        shrink: constant,
        weight: fc.float({ min: -0.5, max: 1, noNaN: true }),
      },
      ...{ fromGradient: fc.boolean(), keptSquares: constant, newSquares: constant, amsgrad: fc.boolean() },
      ...{ minusStep: constant.map((rate) => -rate), root: constant, epsilon: constant },
    })
    await checkProperty(
      fc.property(cases, constants, (given, c) => {
        const averages = [c.weight, c.fromGradient, c.keptSquares, c.newSquares, c.amsgrad] as const
        expectTwin(
          given,
          c.amsgrad ? 3 : 2,
          (entries, count, dim, stateBytes) =>
            kernels.adamRows(
              ...([entries, count, dim, c.scale, stateBytes, c.decay, c.shrink] as const),
              ...averages,
              ...([c.minusStep, c.root, c.epsilon] as const),
            ),
          (p, g, state) => adamTwin(p, g, state, c),
        )
      }),
      1000,
    )
  })

  test('sparse_adam', async () => {
    const constants = fc.record({
      ...{ scale: constant, weight: constant, squaresWeight: constant },
      ...{ minusStep: constant.map((rate) => -rate), epsilon: constant },
    })
    await checkProperty(
      fc.property(cases, constants, (given, c) => {
        const order = [c.weight, c.squaresWeight, c.minusStep, c.epsilon] as const
        expectTwin(
          given,
          2,
          (entries, count, dim, stateBytes) =>
            kernels.sparseAdamRows(entries, count, dim, c.scale, stateBytes, ...order),
          (p, g, state) => sparseAdamTwin(p, g, state, c),
        )
      }),
      1000,
    )
  })
})

/** The float64 number that a kernel has written at the beginning of an entry. */
const squaresAt = (i: number) =>
  new Float64Array(memory.memory.buffer, entriesPlace + 4 * ADD_ENTRY * i, 1)[0]!

function expectSquares(found: number, values: readonly number[]): void {
  const expected = values.reduce((sum, value) => sum + Math.fround(value) ** 2, 0)
  if (expected > 0 && Number.isFinite(expected)) expect(found / expected).toBeCloseTo(1, 12)
  else expect(found).toBe(expected)
}

test('sums by row, with a row many times, equal the twin’s', async () => {
  const given = fc.integer({ min: 1, max: 40 }).chain((dim) =>
    fc.record({
      dim: fc.constant(dim),
      ids: fc.array(fc.nat(4), { maxLength: 30 }),
      numbers: fc.array(anyFloat, { minLength: 30 * dim, maxLength: 30 * dim }),
    }),
  )
  await checkProperty(
    fc.property(given, ({ dim, ids, numbers }) => {
      const rows = ids.map((_, i) => numbers.slice(i * dim, (i + 1) * dim))
      memory.float32(gradientsPlace, 30 * dim).set(numbers)
      memory.float32(rowsPlace, 5 * dim).fill(GUARD)
      const entries = new Uint32Array(memory.memory.buffer, entriesPlace, ids.length * ADD_ENTRY)
      for (const [i, id] of ids.entries()) {
        const flags = (ids.indexOf(id) === i ? BEGINS : 0) | (ids.lastIndexOf(id) === i ? ENDS : 0)
        entries.set([rowsPlace + 4 * dim * id, gradientsPlace + 4 * dim * i, flags], i * ADD_ENTRY)
      }
      kernels.addRows(entriesPlace, ids.length, dim)
      const sums = denseBackwardTwin(ids, rows)
      for (const [i, id] of ids.entries()) {
        if (ids.lastIndexOf(id) === i) expectSquares(squaresAt(i), sums.get(id)!)
      }
      for (let id = 0; id < 5; id++) {
        const expected = Float32Array.from(sums.get(id) ?? Array(dim).fill(GUARD))
        expect(sameBits(memory.float32(rowsPlace + 4 * dim * id, dim).slice())).toEqual(sameBits(expected))
      }
    }),
    300,
  )
})

test('the first number that is not finite is found, wherever it stands', async () => {
  const mostlyFinite = fc.oneof(
    { weight: 30, arbitrary: fc.float({ noNaN: true, noDefaultInfinity: true }) },
    anyFloat,
  )
  const property = fc.property(fc.array(mostlyFinite, { maxLength: 70 }), (numbers) => {
    memory.float32(rowsPlace, 71).fill(Number.NaN).set(numbers)
    const found = numbers.findIndex((value) => !Number.isFinite(value))
    expect(kernels.firstNonFinite(rowsPlace, numbers.length)).toBe(found < 0 ? numbers.length : found)
  })
  await checkProperty(property, 500)
})

test('squares of rows are summed in float64', async () => {
  const given = fc.integer({ min: 1, max: 21 }).chain((dim) =>
    fc.record({
      dim: fc.constant(dim),
      numbers: fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), {
        minLength: 3 * dim,
        maxLength: 3 * dim,
      }),
    }),
  )
  await checkProperty(
    fc.property(given, ({ dim, numbers }) => {
      memory.float32(rowsPlace, 3 * dim).set(numbers)
      const entries = new Uint32Array(memory.memory.buffer, entriesPlace, 2 * ADD_ENTRY)
      const rows = [rowsPlace + 8 * dim, rowsPlace]
      for (const [i, row] of rows.entries()) entries[i * ADD_ENTRY] = row
      kernels.squaresOfRows(entriesPlace, 2, dim)
      expectSquares(squaresAt(0), numbers.slice(2 * dim))
      expectSquares(squaresAt(1), numbers.slice(0, dim))
      // The same bits as of a sum that ends there.
      const found = [squaresAt(0), squaresAt(1)]
      for (const [i, row] of rows.entries()) {
        entries.set([gradientsPlace, row, BEGINS | ENDS], i * ADD_ENTRY)
      }
      kernels.addRows(entriesPlace, 2, dim)
      expect([squaresAt(0), squaresAt(1)]).toEqual(found)
    }),
    300,
  )
})
