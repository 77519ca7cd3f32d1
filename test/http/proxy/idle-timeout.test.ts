import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { IdleTimeout } from '../../../src/http/proxy/idle-timeout.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('an upstream’s silence ends it once, after the whole time since it last did something', () => {
  const act = vi.fn()
  const timeout = new IdleTimeout(1000, act)
  vi.advanceTimersByTime(900)
  timeout.restart()
  vi.advanceTimersByTime(999)
  expect(act).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(act).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(5000)
  expect(act).toHaveBeenCalledTimes(1)
})

test('the upstream’s time does not count while the caller is waited for, and begins anew after that', () => {
  const act = vi.fn()
  const timeout = new IdleTimeout(1000, act)
  timeout.pause()
  vi.advanceTimersByTime(10_500)
  expect(act).not.toHaveBeenCalled()
  timeout.restart()
  vi.advanceTimersByTime(999)
  expect(act).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(act).toHaveBeenCalledTimes(1)
})

test('the timer of an exchange that has ended is cleared, and does not begin again', () => {
  const act = vi.fn()
  const timeout = new IdleTimeout(1000, act)
  expect(vi.getTimerCount()).toBe(1)
  timeout.end()
  expect(vi.getTimerCount()).toBe(0)
  timeout.restart()
  timeout.pause()
  vi.advanceTimersByTime(5000)
  expect([vi.getTimerCount(), act.mock.calls.length]).toEqual([0, 0])
})
