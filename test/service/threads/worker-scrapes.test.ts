import { expect, test } from 'vitest'
import type { Scrape } from '../../../src/service/threads/messages.js'
import { WorkerScrapes } from '../../../src/service/threads/worker-scrapes.js'

const values = (name: string) => [{ name }]
const OWN = values('own, now')

test('a worker answers the first thread’s scrape; if that thread hangs, its last scrape with the worker’s own values', async () => {
  let hangs = false
  const scrape: Scrape = {
    threads: [values('first'), values('second'), values('third')],
    stale: [2],
  }
  const scrapes: WorkerScrapes = new WorkerScrapes(
    1,
    3,
    async () => OWN,
    (id) => {
      if (!hangs) setImmediate(() => scrapes.take(id, scrape))
    },
  )
  expect(await scrapes.ask()).toBe(scrape)
  hangs = true
  expect(await scrapes.ask()).toEqual({
    threads: [values('first'), OWN, values('third')],
    stale: [0, 2],
  })
})

test('before the first thread’s first answer a worker has its own values only', async () => {
  const scrapes = new WorkerScrapes(
    1,
    2,
    async () => OWN,
    () => {},
  )
  expect(await scrapes.ask()).toEqual({ threads: [undefined, OWN], stale: [0] })
})
