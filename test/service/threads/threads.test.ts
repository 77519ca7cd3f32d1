import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ResourceLimits } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import type { SelectedBackend } from '../../../src/first-layer/embeddings/backends/select.js'
import { listenAt, listenerOf } from '../../../src/service/process/listening/listeners.js'
import { gathered, scrapeText } from '../../../src/service/threads/scrapes.js'
import { Threads } from '../../../src/service/threads/threads.js'
import { until } from '../../until.js'

// The threads are small ones of the tests' own.

interface Tried {
  readonly threads: Threads
  start(): Promise<void>
  readonly collect: ReturnType<typeof gathered>
  readonly server: Server
  /** Threads that died, and why. */
  readonly died: [number, string][]
}

const started: Tried[] = []
afterEach(async () => {
  for (const { threads, server } of started.splice(0)) {
    await threads.stop()
    server.close()
  }
})

async function tried(others: number, resourceLimits?: ResourceLimits): Promise<Tried> {
  const server = createServer({ keepAliveTimeout: 1 }, (_, response) => {
    response.end(JSON.stringify({ thread: 0 }))
  })
  await listenAt(server, { port: 0, host: '127.0.0.1', reusePort: true })
  const died: [number, string][] = []
  const threads = new Threads(others + 1)
  const options = {
    workerData: (thread: number) => ({ config: {}, thread }) as never,
    rooms: {},
    died: (thread: number, cause: Error) => void died.push([thread, String(cause)]),
    script: new URL('small-worker.mjs', import.meta.url),
    ...(resourceLimits && { resourceLimits }),
  }
  const start = () =>
    threads.start(options, { models: [], backend: {} as SelectedBackend, listener: listenerOf(server) })
  const collect = gathered(others + 1, (thread) =>
    thread === 0 ? Promise.resolve([]) : threads.metrics(thread),
  )
  const one = { threads, start, collect, server, died }
  started.push(one)
  return one
}

/** Asks on a separate connection. @returns which thread answered; undefined where none did */
function ask({ server }: Tried, path = '/'): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve) => {
    request({ port, host: '127.0.0.1', path, agent: false }, async (response) => {
      const [body] = await once(response, 'data')
      resolve(JSON.parse(body).thread)
    })
      .on('error', () => resolve(undefined))
      .end()
  })
}

/** Asks so often that each thread answers at least once. */
async function askAll(one: Tried, threads: number): Promise<void> {
  const seen = new Set<number>()
  for (let i = 0; i < 2000 && seen.size < threads; i++) {
    for (const thread of await Promise.all([ask(one), ask(one), ask(one), ask(one)])) {
      expect(thread).toBeTypeOf('number') // no request is lost
      seen.add(thread as number)
    }
  }
  expect([...seen].sort()).toEqual(Array.from({ length: threads }, (_, thread) => thread))
}

/** Sends requests of a kind, one after the other, until a thread that minds it has taken one. */
async function poison(one: Tried, path: string): Promise<void> {
  while ((await ask(one, path)) === 0);
}

test.each([
  ['/die', {}, 'a poisoned request'],
  ['/heap', { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 1 }, 'ERR_WORKER_OUT_OF_MEMORY'],
])(
  '%s: all threads answer on one port; one that dies is told, with its cause',
  async (path, limits, cause) => {
    const one = await tried(2, limits)
    await one.start()
    await askAll(one, 3)
    await poison(one, path)
    await until(() => one.died.length > 0)
    expect(one.died).toEqual([[expect.any(Number), expect.stringContaining(cause)]])
    started.pop() // the thread that died will not answer
    one.server.close()
  },
)

test('metrics of a hung thread are its last values', async () => {
  const one = await tried(1)
  await one.start()
  await askAll(one, 2)
  const before = await text(one)
  expect(before).toContain('inlet_thread_stale{thread="1"} 0')
  await poison(one, '/hang')
  const now = await text(one)
  expect(now).toContain('inlet_thread_stale{thread="0"} 0')
  expect(now).toContain('inlet_thread_stale{thread="1"} 1')
  expect(served(now)).toBeGreaterThanOrEqual(served(before))
  started.pop() // it would not stop
  one.server.close()
})

function served(metrics: string): number {
  return Number(/^served (\d+)$/m.exec(metrics)?.[1])
}

async function text({ collect }: Tried): Promise<string> {
  return scrapeText(await collect())
}
