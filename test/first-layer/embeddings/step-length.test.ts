import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StepLength } from '../../../src/first-layer/embeddings/computed-tensor.js'

/** The lengths of the steps in which `total` items are worked on. */
function stepsOf(total: number, work: (items: number) => void): number[] {
  const steps = new StepLength(1000, 16_000)
  const lengths: number[] = []
  for (let left = total; left > 0; ) {
    const length = steps.begin(left)
    work(length)
    steps.end()
    lengths.push(length)
    left -= length
  }
  return lengths
}

let clock = 0
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
})
afterEach(() => {
  vi.restoreAllMocks()
})

function busy(milliseconds: number): void {
  clock += milliseconds
}

test('work of few items is one step', () => {
  expect(stepsOf(1000, () => busy(1))).toEqual([1000])
})

test('steps of quick items grow to the longest, and leave none over', () => {
  const lengths = stepsOf(100_000, () => {})
  expect(lengths[0]).toBe(1000)
  expect(Math.max(...lengths)).toBeGreaterThan(1000)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(16_000)
  expect(lengths.reduce((sum, length) => sum + length)).toBe(100_000)
})

test('steps of slow items shrink', () => {
  const lengths = stepsOf(10_000, (items) => busy(items / 500))
  expect(lengths.slice(0, 3)).toEqual([1000, 500, 250])
  expect(lengths.reduce((sum, length) => sum + length)).toBe(10_000)
})
