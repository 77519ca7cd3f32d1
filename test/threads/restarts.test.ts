import { expect, test } from 'vitest'
import { Restarts } from '../../src/threads/restarts.js'

test('each restart waits longer, and the fifth death within a minute ends restarts', () => {
  const restarts = new Restarts()
  expect([0, 1, 2, 3, 59_999].map((now) => restarts.next(now))).toEqual([0, 100, 200, 400, undefined])
})

test('deaths older than a minute do not count', () => {
  const restarts = new Restarts()
  for (let minute = 0; minute < 100; minute++) expect(restarts.next(minute * 60_000)).toBe(0)
  expect(restarts.next(99 * 60_000 + 30_000)).toBe(100)
})
