import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { exchange, jsonRequest } from '../raw-http.js'
import { until } from '../until.js'
import { type ServerProcess, startServer, THREADS } from './server-process.js'

const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '64' }
const TOKENIZE = jsonRequest('/v1/tokenize', '{"text":"a"}', ['Connection: close'])

let server: ServerProcess | undefined
afterEach(async () => {
  server?.kill()
  await server?.exited
  server = undefined
})

/** A port that is free at this moment. */
async function freePort(): Promise<number> {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  other.close()
  return port
}

async function answers(port: number): Promise<boolean> {
  return exchange(port, TOKENIZE).then(
    ([answer]) => answer?.status === 200,
    () => false,
  )
}

test('standard output on a full disk stops no request', async ({ skip }) => {
  skip(!existsSync('/dev/full'), 'there is no /dev/full')
  const port = await freePort()
  server = startServer({ ...SMALL, THREADS, PORT: String(port) }, { stdout: openSync('/dev/full', 'w') })
  while (!(await answers(port))) await delay(20)
  for (let i = 0; i < 50; i++) expect(await answers(port)).toBe(true)
  server.child.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  expect(server.output.errors).toBe('')
})

test('a reader of the log that goes away stops no request', async () => {
  server = startServer({ ...SMALL, THREADS: '1' })
  await server.allServe()
  const port = await server.port()
  server.child.stdout?.destroy()
  for (let i = 0; i < 50; i++) expect(await answers(port)).toBe(true)
  server.child.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  expect(server.output.errors).toBe('')
})

test('why the start failed, as a port that is taken, is said on standard error whatever becomes of the log', async ({
  skip,
}) => {
  skip(!existsSync('/dev/full'), 'there is no /dev/full')
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  server = startServer({ ...SMALL, PORT: String(port) }, { stdout: openSync('/dev/full', 'w') })
  expect(await server.exited).toBe(1)
  expect(server.output.errors).toMatch(new RegExp(`^inlet: .*PORT.*${port}`, 'm'))
  other.close()
})

test('the last lines come out before the process ends', async () => {
  server = startServer({ ...SMALL, THREADS: '2' })
  await server.allServe()
  const { output, child } = server
  const lines = () => output.log.split('\n').filter((line) => line.includes('"msg":"request"')).length
  const port = await server.port()
  const sent = await Promise.all(Array.from({ length: 20 }, () => answers(port)))
  child.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  expect(lines()).toBe(sent.length)
  await until(() => output.log.endsWith('\n'))
})
