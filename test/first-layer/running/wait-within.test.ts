import { expect, test, vi } from 'vitest'
import { waitWithin } from '../../../src/first-layer/running/wait.js'
import { UNBOUNDED } from '../../counting-claim.js'

const never = new Promise<string>(() => {})

/** A claim that can be aborted, and how many listen. */
function abortable() {
  const stops = new Set<(error: Error) => void>()
  const onAbort = (stop: (error: Error) => void) => {
    stops.add(stop)
    return () => void stops.delete(stop)
  }
  return { onAbort, stops }
}

test('gives what the work gives, and forgets claim and timer', async () => {
  vi.useFakeTimers()
  const { onAbort, stops } = abortable()
  const limit = { milliseconds: 5, late: () => 'late' }
  expect(await waitWithin(Promise.resolve('done'), { claim: { onAbort }, limit })).toBe('done')
  expect([stops.size, vi.getTimerCount()]).toEqual([0, 0])
  await expect(waitWithin(Promise.reject(new Error('no')), { claim: UNBOUNDED })).rejects.toThrow('no')
  vi.useRealTimers()
})

test('ends with the claim', async () => {
  const { onAbort, stops } = abortable()
  const waiting = waitWithin(never, { claim: { onAbort } })
  for (const stop of stops) stop(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  expect(stops.size).toBe(0)
})

test('ends with its time: with a value, or with an error', async () => {
  vi.useFakeTimers()
  const value = waitWithin(never, { limit: { milliseconds: 5, late: () => undefined } })
  const late = () => {
    throw new Error('too late')
  }
  const refused = expect(waitWithin(never, { limit: { milliseconds: 5, late } })).rejects.toThrow('too late')
  await vi.advanceTimersByTimeAsync(5)
  expect(await value).toBeUndefined()
  await refused
  vi.useRealTimers()
})
