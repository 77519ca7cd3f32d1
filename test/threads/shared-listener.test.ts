import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import type { SelectedBackend } from '../../src/first-layer/embeddings/backends/select.js'
import type { TokenizerLibrary } from '../../src/first-layer/tokens/rust/rust-library.js'
import type { LearningAdmin } from '../../src/learning/admin.js'
import type { ModelAdmin } from '../../src/models/admin.js'
import { ThreadGroup } from '../../src/threads/thread-group.js'
import { until } from '../until.js'

vi.mock('node:child_process', () => ({
  fork() {
    throw new Error('spawn EPERM')
  },
}))

test('without a child process all threads share one descriptor, and the first death ends the process', async () => {
  const server = createServer((_, response) => response.end('{"thread":0}')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const log: Record<string, unknown>[] = []
  const givenUp: string[] = []
  const group = new ThreadGroup({
    others: 1,
    server,
    logger: pino({}, { write: (line) => void log.push(JSON.parse(line)) }),
    workerData: (thread) => ({ config: {}, thread }) as never,
    metrics: async () => [],
    models: () => [],
    admins: {
      models: {} as ModelAdmin,
      datasets: undefined,
      learning: undefined as unknown as LearningAdmin,
      tokenizers: undefined as unknown as TokenizerLibrary,
    },
    used: () => {},
    threadEnded: () => {},
    giveUp: (_, reason) => void givenUp.push(reason),
    options: { script: new URL('small-worker.mjs', import.meta.url) },
  })
  await group.serve({} as SelectedBackend)
  expect(log).toMatchObject([{ level: 40, err: { message: 'spawn EPERM' } }])
  const { port } = server.address() as AddressInfo
  for (let thread = 0; thread === 0; ) {
    const answer = await fetch(`http://127.0.0.1:${port}/die`)
    thread = ((await answer.json()) as { thread: number }).thread
  }
  await until(() => givenUp.length > 0)
  expect(givenUp).toEqual(['It shared its listener with all.'])
})
