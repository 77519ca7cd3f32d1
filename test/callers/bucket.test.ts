import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Bucket, charge, state, takeOne, wait } from '../../src/callers/bucket.js'
import { checkProperty } from '../property.js'

const SECOND = 1_000_000_000n

function bucket(quota: number, seconds: number): Bucket {
  return { words: new BigInt64Array(1), index: 0, quota, seconds }
}

test('a full bucket gives its quota at once, then as many as come back', () => {
  const two = bucket(10, 5)
  const now = 1000n * SECOND
  for (let i = 0; i < 10; i++) expect(takeOne(two, now)).toBe(0)
  expect(takeOne(two, now)).toBe(0.5)
  expect(wait(two, now)).toBe(0.5)
  expect(state(two, now)).toEqual({ units: 0, seconds: 5 })
  expect(takeOne(two, now + SECOND / 2n)).toBe(0)
  expect(takeOne(two, now + SECOND / 2n)).toBe(0.5)
  expect(state(two, now + 60n * SECOND)).toEqual({ units: 10, seconds: 0 })
})

test('units charged beyond the quota are a debt that comes back at the same rate', () => {
  const bytes = bucket(1000, 1)
  const now = 5n * SECOND
  charge(bytes, 4000, now)
  expect(state(bytes, now)).toEqual({ units: 0, seconds: 4 })
  expect(wait(bytes, now)).toBeCloseTo(3.001)
  expect(wait(bytes, now + 3n * SECOND)).toBeCloseTo(0.001)
  expect(wait(bytes, now + 4n * SECOND)).toBe(0)
})

test('a charge of one unit counts, and one of none does not', () => {
  const tokens = bucket(10, 5)
  const now = 5n * SECOND
  charge(tokens, 0, now)
  expect(tokens.words[0]).toBe(0n)
  charge(tokens, 1, now)
  expect(state(tokens, now)).toEqual({ units: 9, seconds: 0.5 })
})

test('no charge, however large, leaves the word', () => {
  const slow = bucket(1, 1000)
  const now = 5n * SECOND
  for (let i = 0; i < 10; i++) charge(slow, Number.MAX_SAFE_INTEGER, now)
  expect(wait(slow, now)).toBeGreaterThan(1e9)
  expect(slow.words[0]).toBeGreaterThan(0n)
})

test('in no stretch of time are more taken than the quota and what comes back', () =>
  checkProperty(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 20, maxLength: 200 }),
      (quota, seconds, pauses) => {
        const own = bucket(quota, seconds)
        let now = 7n * SECOND
        const taken: bigint[] = []
        for (const milliseconds of pauses) {
          now += BigInt(milliseconds) * 1_000_000n
          const before = wait(own, now)
          const after = takeOne(own, now)
          expect(after).toBeCloseTo(before, 6)
          if (after === 0) taken.push(now)
        }
        for (const [i, from] of taken.entries()) {
          const stretch = Number(taken[taken.length - 1] - from) / 1e9
          expect(taken.length - i).toBeLessThanOrEqual(quota + (stretch * quota) / seconds + 1e-6)
        }
      },
    ),
    200,
  ))
