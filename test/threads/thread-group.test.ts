import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ResourceLimits } from 'node:worker_threads'
import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import type { Config } from '../../src/config.js'
import type { SelectedBackend } from '../../src/first-layer/embeddings/backends/select.js'
import type { TokenizerLibrary } from '../../src/first-layer/tokens/rust/rust-library.js'
import type { LearningAdmin } from '../../src/learning/admin.js'
import type { ModelAdmin, OpenUpload } from '../../src/models/admin.js'
import { ThreadGroup } from '../../src/threads/thread-group.js'
import { scrapeText } from '../../src/threads/thread-metrics.js'
import { until } from '../until.js'

// The threads are small ones of the tests' own; the listener is copied by the built dist/send-back.js.

const BACKEND = {} as SelectedBackend

interface Tried {
  readonly group: ThreadGroup
  readonly server: Server
  readonly log: Record<string, unknown>[]
  /** Threads whose end was told. */
  readonly ended: number[]
  readonly givenUp: string[]
}

const started: Tried[] = []
afterEach(async () => {
  for (const { group, server } of started.splice(0)) {
    await group.stop()
    server.close()
  }
})

async function tried(
  others: number,
  config: object = {},
  resourceLimits?: ResourceLimits,
  admin: Partial<ModelAdmin> = {},
): Promise<Tried> {
  const server = createServer({ keepAliveTimeout: 1 }, (_, response) => {
    response.end(JSON.stringify({ thread: 0 }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const log: Record<string, unknown>[] = []
  const ended: number[] = []
  const givenUp: string[] = []
  const group = new ThreadGroup({
    others,
    server,
    logger: pino({}, { write: (line) => void log.push(JSON.parse(line)) }),
    workerData: (thread) => ({ config: config as Config, thread }) as never,
    metrics: async () => [],
    models: () => [],
    admins: {
      models: admin as ModelAdmin,
      datasets: undefined,
      learning: undefined as unknown as LearningAdmin,
      tokenizers: undefined as unknown as TokenizerLibrary,
    },
    used: () => {},
    threadEnded: (thread) => void ended.push(thread),
    giveUp: (_, reason) => void givenUp.push(reason),
    options: { script: new URL('small-worker.mjs', import.meta.url), resourceLimits },
  })
  const one = { group, server, log, ended, givenUp }
  started.push(one)
  return one
}

/** Asks on a connection of its own. @returns which thread answered; undefined where none did */
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

describe('a thread that dies', () => {
  test.each([
    ['/die', {}, 'a poisoned request'],
    ['/heap', { maxOldGenerationSizeMb: 24 }, 'ERR_WORKER_OUT_OF_MEMORY'],
  ])(
    '%s: costs its own requests, is logged with its cause, and another one takes its place',
    async (path, limits, cause) => {
      const one = await tried(2, {}, limits)
      await one.group.serve(BACKEND)
      await askAll(one, 3)
      await poison(one, path)
      await until(() => one.ended.length > 0)
      expect(one.ended).toHaveLength(1)
      const line = one.log.find(({ msg }) => String(msg).startsWith('a thread died'))
      expect(line).toMatchObject({ level: 50, died: one.ended[0] })
      expect(JSON.stringify(line?.err)).toContain(cause)
      await until(() => one.log.some(({ born }) => born === one.ended[0]), 'another thread')
      await askAll(one, 3)
      expect(one.givenUp).toEqual([])
    },
  )

  test('repeatedly is not replaced again', async () => {
    const one = await tried(1, { dieAtBirth: true })
    await one.group.serve(BACKEND)
    await until(() => one.givenUp.length > 0)
    expect(one.givenUp).toEqual(['It died again and again.'])
    expect(one.ended).toEqual([1, 1, 1, 1, 1])
  })

  test('has the upload abandoned that was opened for it too late', async () => {
    const abandoned: number[] = []
    const admin = {
      async openUpload() {
        await until(() => one.ended.length > 0)
        return { upload: 7 } as OpenUpload
      },
      abandonUpload: async (upload: number) => void abandoned.push(upload),
    }
    const one = await tried(1, {}, undefined, admin)
    await one.group.serve(BACKEND)
    await poison(one, '/upload')
    await until(() => abandoned.length > 0)
    expect(abandoned).toEqual([7])
  })

  test('leaves its counters in the metrics, and removes its gauges', async () => {
    const one = await tried(1)
    await one.group.serve(BACKEND)
    await askAll(one, 2)
    const before = served(await text(one))
    expect(before).toBeGreaterThan(0)
    await poison(one, '/die')
    await until(() => one.log.some(({ born }) => born === 1))
    const after = await text(one)
    expect(served(after)).toBe(before)
    expect(after).toContain('level 1')
  })
})

test('metrics of a hung thread are its last values', async () => {
  const one = await tried(1)
  await one.group.serve(BACKEND)
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

async function text({ group }: Tried): Promise<string> {
  return scrapeText(await group.collect())
}
