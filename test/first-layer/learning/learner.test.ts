import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sumOverBatch } from '../../../src/first-layer/learning/cascade.js'
import type { GradientCall } from '../../../src/first-layer/learning/gradient-call.js'
import { Learner } from '../../../src/first-layer/learning/learner.js'
import { checkProperty } from '../../property.js'
import { broadcastBackwardTwin } from '../../twins/learning/sums.js'

const HELD = [
  { name: 'wte.weight', rows: 10, dim: 3 },
  { name: 'wpe.weight', rows: 4, dim: 3 },
] as const

const bytesOf = (numbers: readonly number[]) => ({
  dtype: 'float32' as const,
  bytes: new Uint8Array(Float32Array.from(numbers).buffer),
})

/** Gradients [1, T, 3] of 1, 2, … for these ids. */
function callFor(ids: readonly number[], more: Partial<GradientCall> = {}): GradientCall {
  return {
    shape: [1, ids.length],
    gradients: bytesOf(Array.from({ length: 3 * ids.length }, (_, i) => i + 1)),
    input_ids: Int32Array.from(ids),
    ...more,
  } as GradientCall
}

const learnerOf = (optimizer: object = { type: 'sgd', lr: 0.5 }) => new Learner({ ...optimizer }, HELD)
const pendingOf = (learner: Learner, table: number) => {
  const { pending } = learner.tables[table]!
  return Object.fromEntries([...pending.rows].map((row) => [row, [...pending.numbersOf(row)!]]))
}
const changedRows = (learner: Learner, table: number, step: number) =>
  [...learner.tables[table]!.changedAt].flatMap((changed, row) => (changed === step ? [row] : []))

test('gradients of a row many times are added; positions have the sum of their places', () => {
  const learner = learnerOf()
  const answer = learner.gradients(callFor([7, 2, 7]))
  expect(pendingOf(learner, 0)).toEqual({ 7: [8, 10, 12], 2: [4, 5, 6] })
  expect(pendingOf(learner, 1)).toEqual({ 0: [1, 2, 3], 1: [4, 5, 6], 2: [7, 8, 9] })
  expect(answer).toEqual({
    rows: { 'wte.weight': 2, 'wpe.weight': 3 },
    grad_norms: { 'wte.weight': Math.sqrt(385), 'wpe.weight': Math.sqrt(285) },
    pending: 1,
  })
})

test('hidden places add nothing, do not make a row come, and may hold NaN', () => {
  const learner = learnerOf()
  const call = callFor([7, 2], {
    attention_mask: Int32Array.of(0, 1),
    gradients: bytesOf([Number.NaN, Infinity, 1, 4, 5, 6]),
  })
  learner.gradients(call)
  expect([pendingOf(learner, 0), pendingOf(learner, 1)]).toEqual([{ 2: [4, 5, 6] }, { 1: [4, 5, 6] }])
})

test('a step moves the rows with gradients and lists those whose bits changed', () => {
  const learner = learnerOf()
  learner.gradients(callFor([7, 2]))
  const answer = learner.apply({ lr: 2, scale: 0.5 })
  expect([...learner.tables[0]!.numbers.subarray(21, 24)]).toEqual([-1, -2, -3])
  expect(answer.rows_updated).toEqual({ 'wte.weight': 2, 'wpe.weight': 2 })
  expect(changedRows(learner, 0, 1)).toEqual([2, 7])
  expect(answer.update_norms['wte.weight']).toBe(Math.sqrt(1 + 4 + 9 + 16 + 25 + 36))
  // A row with a gradient of zero counts as one with a gradient, and none of its bits change.
  learner.gradients(callFor([1], { gradients: bytesOf([0, 0, 0]) }))
  expect(learner.apply().rows_updated).toEqual({ 'wte.weight': 0, 'wpe.weight': 0 })
})

test('a table without a gradient is left alone, decay and step number too', () => {
  const learner = learnerOf({ type: 'adamw', lr: 0.1 })
  for (const { numbers } of learner.tables) numbers.fill(1)
  learner.gradients({ token_gradients: bytesOf([1, 1, 1]), token_ids: Int32Array.of(3) })
  learner.apply()
  expect(learner.tables.map(({ steps }) => steps)).toEqual([1, 0])
  expect(new Set(learner.tables[1]!.numbers)).toEqual(new Set([1]))
  expect(learner.tables[0]!.numbers[0]).toBe(Math.fround(1 - 0.1 * 0.01))
})

test('with rows, no other row moves, and its gradients are not kept', () => {
  const learner = learnerOf({ type: 'sgd', lr: 1, weight_decay: 0.5, rows: [7, 1] })
  learner.tables[0]!.numbers.fill(1)
  expect(learner.gradients(callFor([7, 2])).rows['wte.weight']).toBe(1)
  learner.apply()
  expect(changedRows(learner, 0, 1)).toEqual([1, 7])
  expect([...learner.tables[0]!.numbers.subarray(3, 9)]).toEqual([0.5, 0.5, 0.5, 1, 1, 1])
})

describe('a gradient that cannot be added is refused as a whole', () => {
  const NAN = callFor([1, 2], { gradients: bytesOf([1, 2, 3, 4, Number.NaN, 6]) })
  test.each([
    ['not_finite', 'gradients.0.1.1', NAN],
    ['token_out_of_range', 'input_ids.0.1', callFor([1, 10])],
    ['token_out_of_range', 'input_ids.0.0', callFor([-1, 1])],
    ['context_too_long', 'position_ids.0.1', callFor([1, 2], { position_ids: Int32Array.of(0, 4) })],
    ['context_too_long', 'position_offset', callFor([1, 2], { position_offset: 3 })],
    ['invalid_request', 'position_offset', callFor([1], { position_offset: -1 })],
    ['invalid_request', 'gradients', callFor([1], { gradients: bytesOf([1, 2]) })],
    ['invalid_request', 'input_ids', callFor([1], { shape: [1, 2] as const })],
    ['invalid_request', 'attention_mask', callFor([1], { attention_mask: Int32Array.of(1, 1) })],
    ['invalid_request', 'gradients', { token_ids: undefined }],
    [
      'token_out_of_range',
      'token_ids.0',
      { token_gradients: bytesOf([1, 2, 3]), token_ids: Int32Array.of(10) },
    ],
  ] as const)('%s at %s', (code, param, call) => {
    const learner = learnerOf()
    learner.gradients(callFor([5]))
    const before = pendingOf(learner, 0)
    expect(() => learner.gradients(call as GradientCall)).toThrow(expect.objectContaining({ code, param }))
    expect(pendingOf(learner, 0)).toEqual(before)
    expect(learner.pending).toBe(1)
  })

  test('gradients of a table that does not learn', () => {
    const learner = learnerOf({ type: 'sgd', tables: ['wte.weight'] })
    const call = { position_gradients: bytesOf([1, 2, 3]), position_ids: Int32Array.of(0) }
    expect(() => learner.gradients(call)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'position_gradients' }),
    )
  })

  test('a step with nothing pending', () => {
    const learner = learnerOf()
    expect(() => learner.apply()).toThrow(expect.objectContaining({ code: 'nothing_pending' }))
    learner.gradients(callFor([1]))
    learner.apply()
    expect(() => learner.apply()).toThrow(expect.objectContaining({ code: 'nothing_pending' }))
    expect(learner.step).toBe(1)
  })
})

test('sums over B of any sizes equal the twin’s', async () => {
  const sizes = fc.record({
    batch: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 250, max: 530 })),
    length: fc.integer({ min: 1, max: 5 }),
    dim: fc.integer({ min: 1, max: 40 }),
    salt: fc.nat(1000),
  })
  await checkProperty(
    fc.property(sizes, ({ batch, length, dim, salt }) => {
      const rows = Array.from({ length: batch }, (_, b) =>
        Array.from({ length: length * dim }, (_, i) => Math.fround(Math.sin(b * 7919 + i * 31 + salt))),
      )
      const found = [...sumOverBatch(Float32Array.from(rows.flat()), batch, length * dim)]
      expect(found).toEqual(broadcastBackwardTwin(rows))
    }),
    40,
  )
})

test('a call that fails late leaves the next ones right', () => {
  const learner = learnerOf()
  const tokens = { token_ids: Int32Array.of(1, 2), token_gradients: bytesOf([1, 2, 3, 4, 5, 6]) }
  const failing = {
    ...tokens,
    position_ids: Int32Array.of(0),
    position_gradients: bytesOf([1, Number.NaN, 3]),
  }
  for (let i = 0; i < 3; i++) {
    expect(() => learner.gradients(failing)).toThrow(
      expect.objectContaining({ param: 'position_gradients.0.1' }),
    )
    expect(() => learner.gradients(callFor([1], { gradients: bytesOf([1, 2, Infinity]) }))).toThrow()
  }
  learner.gradients(tokens)
  learner.gradients(callFor([2, 3]))
  expect(pendingOf(learner, 0)).toEqual({ 1: [1, 2, 3], 2: [5, 7, 9], 3: [4, 5, 6] })
  expect(pendingOf(learner, 1)).toEqual({ 0: [1, 2, 3], 1: [4, 5, 6] })
})

test('memory of gradients is used again', () => {
  const learner = new Learner({ type: 'sgd' }, [{ name: 'wte.weight', rows: 50_000, dim: 64 }])
  const ids = Int32Array.from({ length: 512 }, (_, i) => i * 97)
  const call = { token_ids: ids, token_gradients: bytesOf(Array(512 * 64).fill(1)) }
  for (let step = 0; step < 20; step++) {
    learner.gradients(call)
    learner.gradients(call)
    learner.apply()
  }
  expect(learner.gradientBytes).toBe(512 * 64 * 4)
})
