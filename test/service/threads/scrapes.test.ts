import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { gathered, type Scrape } from '../../../src/service/threads/scrapes.js'

const values = (name: string) => [{ name }]
const never = () => new Promise<never>(() => {})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** What a scrape gives when this time has passed, and not before. */
async function after(milliseconds: number, scrape: Promise<Scrape>): Promise<Scrape> {
  let isThere = false
  scrape.then(() => (isThere = true))
  await vi.advanceTimersByTimeAsync(milliseconds - 1)
  expect(isThere).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  return scrape
}

test('a thread that does not answer within a second counts as it did before', async () => {
  let hangs = false
  const gather = gathered(2, (thread) =>
    hangs && thread === 1 ? never() : Promise.resolve(values(`${thread}`)),
  )
  expect(await gather()).toEqual({ threads: [values('0'), values('1')], stale: [] })
  hangs = true
  expect(await after(1000, gather())).toEqual({ threads: [values('0'), values('1')], stale: [1] })
})
