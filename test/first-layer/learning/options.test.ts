import { expect, test } from 'vitest'
import {
  describeOptimizer,
  readOptimizer,
  readStepOptions,
} from '../../../src/first-layer/learning/optimizer-options.js'
import { integerPower } from '../../../src/first-layer/learning/optimizers.js'

const ROWS = { 'wte.weight': 10, 'wpe.weight': 4 }

test.each([
  [{ type: 'sgd' }, { lr: 0.001, momentum: 0, dampening: 0, nesterov: false, weight_decay: 0 }],
  [{ type: 'adagrad' }, { lr: 0.01, lr_decay: 0, initial_accumulator_value: 0, eps: 1e-10, weight_decay: 0 }],
  [{ type: 'adam' }, { lr: 0.001, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0, amsgrad: false }],
  [{ type: 'adamw' }, { lr: 0.001, betas: [0.9, 0.999], eps: 1e-8, weight_decay: 0.01, amsgrad: false }],
  [{ type: 'sparse_adam' }, { lr: 0.001, betas: [0.9, 0.999], eps: 1e-8 }],
])('%j has PyTorch’s defaults', (given, options) => {
  const optimizer = readOptimizer(given, ROWS)
  const tables = ['wte.weight', 'wpe.weight']
  expect(describeOptimizer(optimizer)).toEqual({ ...given, ...options, tables })
})

test.each([
  ['type', { type: 'rmsprop' }, /must be one of sgd, adagrad, adam, adamw, sparse_adam\. Given: "rmsprop"/],
  ['type', {}, /Given: nothing/],
  ['beta', { type: 'adam', beta: 1 }, /is not a field/],
  ['lr', { type: 'sgd', lr: -1 }, /must be at least 0\. Given: -1/],
  ['lr', { type: 'sgd', lr: '1' }, /must be a number\. Given: "1"/],
  ['betas', { type: 'adam', betas: [0.9] }, /must have at least 2 elements\. Given: an array of 1/],
  ['betas.1', { type: 'adam', betas: [0.9, 1] }, /must be less than 1\. Given: 1/],
  ['eps', { type: 'adagrad', eps: 0 }, /Given: 0/],
  ['nesterov', { type: 'sgd', nesterov: true }, /without `momentum`/],
  ['weight_decay', { type: 'sparse_adam', weight_decay: 0.1 }, /is not a field/],
  ['tables.0', { type: 'sgd', tables: ['wtt.weight'] }, /must be one of/],
  ['tables', { type: 'sgd', tables: [] }, /at least 1/],
  ['rows', { type: 'sgd', rows: [] }, /at least one/],
  ['rows', { type: 'sgd', rows: [1], tables: ['wpe.weight'] }, /needs wte\.weight/],
  ['rows.1', { type: 'sgd', rows: [1, 1] }, /twice/],
  ['rows.0', { type: 'sgd', rows: [1.5] }, /must be an integer/],
])('%s is refused by name: %j', (param, given, message) => {
  expect(() => readOptimizer(given, ROWS)).toThrow(
    expect.objectContaining({ code: 'invalid_request', param, message: expect.stringMatching(message) }),
  )
})

test('a row beyond the table is out of range', () => {
  expect(() => readOptimizer({ type: 'sgd', rows: [10] }, ROWS)).toThrow(
    expect.objectContaining({ code: 'token_out_of_range', param: 'rows.0' }),
  )
})

test('a step overrides what the optimizer has, and nothing else', () => {
  const adamw = readOptimizer({ type: 'adamw' }, ROWS)
  expect(readStepOptions(adamw, { lr: 0.5, scale: 0.25 })).toMatchObject({
    options: { lr: 0.5, weight_decay: 0.01 },
    scale: 0.25,
  })
  expect(readStepOptions(adamw, {}).scale).toBe(1)
  const sparse = readOptimizer({ type: 'sparse_adam' }, ROWS)
  for (const [optimizer, given, param] of [
    [adamw, { eps: 1 }, 'eps'],
    [adamw, { scale: -1 }, 'scale'],
    [sparse, { weight_decay: 0.1 }, 'weight_decay'],
  ] as const) {
    expect(() => readStepOptions(optimizer, given)).toThrow(expect.objectContaining({ param }))
  }
})

test('powers are those of exact arithmetic, rounded once', () => {
  for (const base of [0.9, 0.999, 0.5, 0.93, 0, 1 - 2 ** -53]) {
    // base = numerator / 2^60 exactly; the power is compared by its 53 leading bits.
    const numerator = BigInt(base * 2 ** 60)
    for (const exponent of [1, 2, 3, 7, 100, 999]) {
      const found = integerPower(base, exponent)
      const shift = 60n * BigInt(exponent) - 1200n
      const exact = numerator ** BigInt(exponent)
      const scaled = shift > 0n ? exact >> shift : exact << -shift // base^exponent · 2^1200
      const difference = Number((BigInt(Math.floor(found * 2 ** 600)) << 600n) - scaled)
      expect(Math.abs(difference)).toBeLessThanOrEqual(Number(scaled) * 2 ** -53 + 2 ** 600)
    }
  }
})
