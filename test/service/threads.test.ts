import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { exchange, jsonRequest } from '../raw-http.js'
import { until } from '../until.js'
import { startServer } from './server-process.js'
import { wire } from './wire.js'

const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '64' }
const POISON = fileURLToPath(new URL('poison.mjs', import.meta.url))
const CLOSE = ['Connection: close']
const EMBED = jsonRequest('/v1/input-embeddings', '{"input_ids":[1,2,3]}', CLOSE)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-poison-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Two threads, for one test, and what does to them what is written. */
async function start(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  env: Readonly<Record<string, string>> = {},
  nodeArgs: readonly string[] = [],
) {
  const path = join(folder, String(Math.random()))
  const started = startServer(
    { ...SMALL, THREADS: '2', POISON: path, ...env },
    { nodeArgs: ['--import', POISON, ...nodeArgs] },
  )
  onTestFinished(async () => {
    started.kill()
    await started.exited
  })
  await started.allServe()
  return {
    ...started,
    at: await started.port(),
    poison: (what: string) => writeFileSync(path, what),
    cure: () => rmSync(path),
    lines: () =>
      started.output.log
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  }
}

/** A small heap. Node gives a full one 16 MiB more to end in, and what is young moves there too: at most 1 MiB of it. */
const SMALL_HEAP = ['--max-old-space-size=64', '--max-semi-space-size=1']

const HANGS = [
  ['another thread hangs', 1],
  ['the first thread hangs', 0],
] as const

type Started = Awaited<ReturnType<typeof start>>

/** Sends requests, each on a separate connection, until both threads have answered since. None may be lost. */
async function bothAnswer({ at, lines }: Started): Promise<void> {
  const before = lines().length
  const seen = () =>
    new Set(
      lines()
        .slice(before)
        .filter(({ msg }) => msg === 'request')
        .map(({ thread }) => thread),
    )
  for (let i = 0; seen().size < 2; i++) {
    expect(i).toBeLessThan(2000)
    const answers = await Promise.all([1, 2, 3, 4].map(() => exchange(at, EMBED)))
    for (const [{ status }] of answers) expect(status).toBe(200)
  }
}

describe.concurrent('a thread that dies', () => {
  test.for([
    ['another thread throws', [], 'a poisoned thread'],
    ['another thread fills its heap', SMALL_HEAP, 'ERR_WORKER_OUT_OF_MEMORY'],
  ] as const)('%s: the process ends with 1, and says why', async ([poison, nodeArgs, cause], context) => {
    const started = await start(context, {}, nodeArgs)
    await bothAnswer(started)
    started.poison(poison)
    expect(await started.exited).toBe(1)
    const died = started.lines().find((line) => line.died === 1)
    expect(died.level).toBe(60)
    expect(JSON.stringify(died.err)).toContain(cause)
    expect(started.output.errors).toMatch(/^inlet: Thread 1 has died: /m)
  })
})

test.concurrent('metrics say which thread hangs', async (context) => {
  // A first thread that hangs for so long ends the process.
  const started = await start(context, { SHUTDOWN_SECONDS: '240' })
  const { at, output } = started
  await bothAnswer(started)
  /** Where each thread listens by itself, some connections go to the one that hangs. */
  const metrics = async () => {
    const asked = async () =>
      (await exchange(at, 'GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'))[0]!
    for (;;) {
      const answered = await Promise.race([asked(), sleep(5000, undefined)]) // a scrape waits a second
      if (answered !== undefined) return answered
    }
  }
  await metrics()
  for (const [i, [poison, thread]] of HANGS.entries()) {
    started.poison(poison)
    await until(() => output.errors.split('hangs').length > i + 1, 'the thread to hang')
    const { status, body } = await metrics()
    expect(status).toBe(200)
    expect(body.toString()).toContain(`inlet_thread_stale{thread="${thread}"} 1`)
    expect(body.toString()).toContain(`inlet_thread_stale{thread="${1 - thread}"} 0`)
    started.cure()
    await bothAnswer(started)
  }
})

test.concurrent('a thread that hangs does not keep the process from ending', async (context) => {
  const started = await start(context, { SHUTDOWN_SECONDS: '1' })
  await bothAnswer(started)
  started.poison('another thread hangs')
  await until(() => started.output.errors.includes('hangs'), 'the thread to hang')
  const hanging = await Promise.all([1, 2, 3, 4, 5, 6].map(() => wire(started.at)))
  started.child.kill('SIGTERM')
  expect(await started.exited).toBe(0)
  for (const { socket } of hanging) socket.destroy()
})
