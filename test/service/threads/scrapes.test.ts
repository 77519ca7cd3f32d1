import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { askedFirst, gathered, type Scrape } from '../../../src/service/threads/scrapes.js'

const values = (name: string) => [{ name }]
const OWN = values('own, now')
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

test('another thread gives the first one’s answer; if that thread hangs, its last answer with this thread’s own values', async () => {
  const scrape: Scrape = { threads: [values('first'), values('second'), values('third')], stale: [2] }
  const ask = vi.fn<() => Promise<Scrape>>(async () => scrape)
  const get = askedFirst(1, 3, async () => OWN, ask)
  expect(await get()).toBe(scrape)
  ask.mockImplementation(never)
  expect(await after(2000, get())).toEqual({
    threads: [values('first'), OWN, values('third')],
    stale: [0, 2],
  })
})

test('before the first thread’s first answer another one has its own values only', async () => {
  const get = askedFirst(1, 2, async () => OWN, never)
  expect(await after(2000, get())).toEqual({ threads: [undefined, OWN], stale: [0] })
})
