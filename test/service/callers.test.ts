import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exchange } from '../raw-http.js'
import { until } from '../until.js'
import { ownFolder, ownServers } from './own.js'
import { QUICK_WATCH, type ServerProcess } from './server-process.js'

const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '64', THREADS: '2' }

const folder = ownFolder('callers')
const startServer = ownServers()

const MANY = 60

function write(...callers: object[]): string {
  const path = join(folder, 'callers.json')
  writeFileSync(`${path}.next`, JSON.stringify({ callers }))
  renameSync(`${path}.next`, path) // at once: the service may look at any moment
  return path
}

/** Sends requests on separate connections, so that each thread gets some. */
async function statuses(port: number, key: string, count: number): Promise<number[]> {
  const request = `GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`
  const answers = await Promise.all(Array.from({ length: count }, () => exchange(port, request)))
  return answers.map(([{ status }]) => status)
}

const lines = ({ output }: ServerProcess) =>
  output.log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

test('threads count callers together, and a change of the file changes who is known', async () => {
  const other = { name: 'other', key: 'other-s3cret' }
  const free = { name: 'free', key: 'free-s3cret' }
  const started = startServer({ ...SMALL, API_KEYS_FILE: write(free, other) }, QUICK_WATCH)
  await started.allServe()
  const port = await started.port()
  const got: number[] = []
  const threads = () =>
    new Set(lines(started).flatMap((line) => (line.caller === 'other' ? [line.thread] : [])))
  // Whichever thread runs first takes the connections that wait: on a busy machine all of them.
  while (threads().size < 2) got.push(...(await statuses(port, 'other-s3cret', MANY)))
  expect(new Set(got)).toEqual(new Set([200]))

  write(other, { ...free, key: 'next-s3cret' })
  await until(() => lines(started).some(({ msg }) => msg === 'the keys have changed'))
  expect(new Set(await statuses(port, 'next-s3cret', 16))).toEqual(new Set([200]))

  const headers = { authorization: 'Bearer next-s3cret' }
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text()
  expect(text).toContain(`inlet_caller_requests_total{caller="other"} ${got.length}\n`)
  expect(text).toContain('inlet_caller_requests_total{caller="free"} 16\n')

  write({ ...other, rate: 5 })
  const broken = () => lines(started).find(({ msg }) => msg.startsWith('API_KEYS_FILE cannot be taken'))
  await until(() => broken() !== undefined)
  expect(broken()).toMatchObject({ level: 50, reason: 'callers.0 has an unknown field, `rate`.' })
  expect(new Set(await statuses(port, 'next-s3cret', 4))).toEqual(new Set([200]))
  expect(started.output.log).not.toContain('s3cret')
})
