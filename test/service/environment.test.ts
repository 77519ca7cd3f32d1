import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type ServerProcess, startServer } from './server-process.js'

const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '8', THREADS: '1' }

let server: ServerProcess | undefined
afterEach(async () => {
  server?.kill()
  await server?.exited
  server = undefined
})

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  taken.close()
  await once(taken, 'close')
  return port
}

async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host)
  const isThere = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isThere
}

/** Elsewhere 127.0.0.2 is no address of this machine. */
const linux = process.platform === 'linux'
if (!linux) console.log('HOST is not tested: Linux alone has the whole of 127/8.')

test.each([
  ['', 'no other address of this machine answers', []],
  ['0.0.0.0', 'others do, and a warning tells that there is no key', [{ level: 40, keys: 0 }]],
])('HOST=%s: %s', async (HOST, _, warnings) => {
  server = startServer({ ...SMALL, HOST, API_KEYS: '', APIKEYS: 'a:b' })
  await server.allServe()
  const port = await server.port()
  expect(await answers('127.0.0.1', port)).toBe(true)
  if (linux) expect(await answers('127.0.0.2', port)).toBe(HOST !== '')
  const lines = server.output.log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  expect(lines.find(({ msg }) => msg === 'started')).toMatchObject({ keys: 0 })
  const misspelt = { msg: 'APIKEYS is no variable of this service: did you mean API_KEYS?' }
  expect(lines.filter(({ level }) => level > 30)).toMatchObject([misspelt, ...warnings])
})

test('LOG_LEVEL=error: nothing is logged where nothing fails', async () => {
  const PORT = await freePort()
  server = startServer({ ...SMALL, LOG_LEVEL: 'error', PORT: String(PORT) })
  const url = `http://127.0.0.1:${PORT}`
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (server.child.exitCode !== null) throw new Error(server.output.errors)
    await delay(20)
  }
  expect((await fetch(`${url}/v1/nothing`)).status).toBe(404)
  server.child.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  expect(server.output).toEqual({ log: '', errors: '' })
})
