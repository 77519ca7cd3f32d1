import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { makeCertificate } from '../listening/certificates.js'
import { exchange } from '../raw-http.js'
import { until } from '../until.js'
import { ownFolder, ownServers } from './own.js'

const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '64', THREADS: '2' }
/** Few for callers: a thread that starts needs most of them. */
const FEW = 192
const LIVE = 'GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'
const MODELS = LIVE.replace('/health/live', '/v1/models')

const start = ownServers()
const folder = ownFolder('descriptors')
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** A client that connects and sends nothing. */
async function silent(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  sockets.push(socket.on('error', () => {}).resume())
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
}

const statusOf = async (port: number, request: string) => (await exchange(port, request))[0]?.status

describe('with few file descriptors', () => {
  test('the start tells the lower number of connections; health is answered beside 200 that are silent', async () => {
    const server = start(SMALL, { descriptors: FEW })
    const port = await server.port()
    await server.allServe()
    const line = server.output.log.split('\n').find((each) => each.includes('fewer connections'))
    const { connections, ...told } = JSON.parse(line ?? '{}')
    expect(told).toMatchObject({ MAX_CONNECTIONS: 10_000, descriptors: FEW })
    for (let i = 0; i < 200; i++) await silent(port)
    expect(await statusOf(port, LIVE)).toBe(200)
    expect(await statusOf(port, MODELS)).toBe(503)
    await until(() => sockets.filter((socket) => !socket.destroyed).length === connections, 'the others’ end')
    for (const socket of sockets.splice(0)) socket.destroy()
    for (let status: number | undefined; status !== 200; ) status = await statusOf(port, MODELS)
  })

  test('threads that start have those of their modules, however many clients came before', async () => {
    const server = start({ ...SMALL, THREADS: '4' }, { descriptors: 2 * FEW })
    const port = await server.port()
    for (let i = 0; i < 400; i++) await silent(port)
    await server.allServe()
    expect(server.output.log).not.toContain('a thread died')
    expect(await statusOf(port, LIVE)).toBe(200)
  })

  test('200 that come while the process stands still are taken in one turn: no thread dies, and the last is answered', async () => {
    const server = start(SMALL, { descriptors: FEW })
    const port = await server.port()
    await server.allServe()
    for (let round = 0; round < 5; round++) {
      server.child.kill('SIGSTOP')
      for (let i = 0; i < 200; i++) await silent(port)
      const status = statusOf(port, LIVE)
      server.child.kill('SIGCONT')
      expect(await status).toBe(200)
      for (const socket of sockets.splice(0)) socket.destroy()
    }
    expect(server.output.log).not.toContain('a thread died')
  })

  test('clients that never begin a TLS handshake give way to one that does', async () => {
    const { cert, key } = makeCertificate('one')
    const files = { TLS_CERT_FILE: join(folder, 'cert'), TLS_KEY_FILE: join(folder, 'key') }
    writeFileSync(files.TLS_CERT_FILE, cert)
    writeFileSync(files.TLS_KEY_FILE, key)
    const server = start({ ...SMALL, ...files, THREADS: '1' }, { descriptors: FEW })
    const port = await server.port()
    for (let i = 0; i < 100; i++) await silent(port)
    const { request } = await import('node:https')
    const call = request({ host: '127.0.0.1', port, path: '/health/live', ca: cert, agent: false }).end()
    const [answer] = await once(call, 'response')
    expect(answer.statusCode).toBe(200)
    answer.resume()
    expect(server.child.exitCode).toBeNull()
  })

  test('more threads than they allow are one line, and no start', async () => {
    const server = start({ ...SMALL, THREADS: '9' }, { descriptors: FEW })
    expect(await server.exited).toBe(1)
    expect(server.output.errors).toBe(
      `inlet: The limit of file descriptors (ulimit -n) must be higher with THREADS=9. It is ${FEW}.\n`,
    )
  })
})

test('a process without any descriptor left goes on, and serves when there are some again', async () => {
  const marker = join(folder, 'none-left')
  const taker = fileURLToPath(new URL('no-descriptors.mjs', import.meta.url))
  const env = { ...SMALL, NO_DESCRIPTORS: marker }
  const server = start(env, { descriptors: FEW, nodeArgs: ['--import', taker] })
  const port = await server.port()
  await server.allServe()
  const kept = connect(port, '127.0.0.1')
  sockets.push(kept)
  await once(kept, 'connect')
  await delay(50)
  writeFileSync(marker, '')
  await delay(100)
  for (let i = 0; i < 50; i++) await silent(port)
  kept.write(LIVE.replace('/health/live', '/metrics'))
  expect(String((await once(kept, 'data'))[0])).toContain('200 OK')
  await delay(3000) // two looks of what gives memory back
  rmSync(marker)
  for (let status: number | undefined; status !== 200; )
    status = await statusOf(port, LIVE).catch(() => undefined)
  expect(server.child.exitCode).toBeNull()
})
