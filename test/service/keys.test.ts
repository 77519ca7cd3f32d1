import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exchange } from '../raw-http.js'
import { until } from '../until.js'
import { ownFolder, ownServers } from './own.js'
import { QUICK_WATCH, type ServerProcess } from './server-process.js'

const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '64' }

const folder = ownFolder('keys')
const startServer = ownServers()

const linesOf = ({ output }: ServerProcess) =>
  output.log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** The answers to a key on so many new connections that each thread has some. */
async function statuses(port: number, key: string): Promise<number[]> {
  const request = `GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`
  const answers = await Promise.all(Array.from({ length: 16 }, () => exchange(port, request)))
  return [...new Set(answers.map(([{ status }]) => status))]
}

let version = 0
/** Puts a file of keys in place as Kubernetes does with a secret: a link to a folder is swapped. */
function mount(text: string): string {
  const name = `..${++version}`
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'keys'), text)
  symlinkSync(name, join(folder, '..next'))
  renameSync(join(folder, '..next'), join(folder, '..data'))
  if (version === 1) symlinkSync(join('..data', 'keys'), join(folder, 'keys'))
  return join(folder, 'keys')
}

test('keys are taken up again in all threads when their file changes; a broken file changes nothing', async () => {
  const API_KEYS_FILE = mount('one:first-s3cret\n')
  const env = { ...SMALL, THREADS: '2', REQUIRE_KEYS: '1', API_KEYS: 'fixed:fixed-s3cret', API_KEYS_FILE }
  const started = startServer(env, QUICK_WATCH)
  await started.allServe()
  const port = await started.port()
  const lines = () => linesOf(started)
  expect(lines().find(({ msg }) => msg === 'started')).toMatchObject({ keys: 2 })
  expect(await statuses(port, 'first-s3cret')).toEqual([200])
  expect(await statuses(port, 'second-s3cret')).toEqual([401])

  mount('two:second-s3cret\n')
  await until(() => lines().some(({ msg }) => msg === 'the keys have changed'))
  const changed = lines().find(({ msg }) => msg === 'the keys have changed')
  expect(changed).toMatchObject({ keys: 2, names: ['fixed', 'two'] })
  expect(await statuses(port, 'second-s3cret')).toEqual([200])
  expect(await statuses(port, 'fixed-s3cret')).toEqual([200])
  expect(await statuses(port, 'first-s3cret')).toEqual([401])

  const broken = (reason: string) =>
    lines().find(
      ({ msg, reason: told }) => msg.startsWith('API_KEYS_FILE cannot be taken') && told.includes(reason),
    )
  for (const [change, reason] of [
    [() => mount('third-s3cret\n'), 'Line 1 has no colon.'],
    [() => mount(''), 'There is no key.'],
    [() => mount('fixed:third-s3cret'), 'The name fixed stands twice.'],
    [() => rmSync(API_KEYS_FILE), 'ENOENT'],
  ] as const) {
    change()
    await until(() => broken(reason) !== undefined, reason)
    expect(broken(reason)).toMatchObject({ level: 50 })
    expect(await statuses(port, 'second-s3cret')).toEqual([200])
  }
  expect(await statuses(port, 'third-s3cret')).toEqual([401])
  expect(started.output.log).not.toContain('s3cret')
})

test('REQUIRE_KEYS=1 needs one', async () => {
  const server = startServer({ ...SMALL, REQUIRE_KEYS: '1', API_KEYS: '' })
  expect(await server.exited).toBe(1)
  expect(server.output.errors).toBe('inlet: REQUIRE_KEYS=1 needs a key in API_KEYS or API_KEYS_FILE.\n')
})
