import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
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
  test('the start tells how many connections there may be; those beyond are closed, and the process serves', async () => {
    const server = start({ ...SMALL, THREADS: '1' }, { descriptors: FEW })
    const port = await server.port()
    await server.allServe()
    const line = server.output.log.split('\n').find((each) => each.includes('fewer connections'))
    const { connections, ...told } = JSON.parse(line ?? '{}')
    expect(told).toMatchObject({ MAX_CONNECTIONS: 10_000, descriptors: FEW })
    for (let i = 0; i < 200; i++) await silent(port)
    await until(() => sockets.filter((socket) => !socket.destroyed).length === connections, 'the others’ end')
    for (const socket of sockets.splice(0)) socket.destroy()
    for (let status: number | undefined; status !== 200; )
      status = await statusOf(port, MODELS).catch(() => undefined)
  })

  test('threads that start have those of their modules, however many clients came before', async () => {
    const server = start(SMALL, { descriptors: 1.5 * FEW })
    const port = await server.port()
    for (let i = 0; i < 400; i++) await silent(port)
    await server.allServe()
    for (const socket of sockets.splice(0)) socket.destroy()
    for (let status: number | undefined; status !== 200; )
      status = await statusOf(port, LIVE).catch(() => undefined)
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

test('a process without any descriptor left survives, and serves when there are some again', async () => {
  const marker = join(folder, 'none-left')
  const taker = fileURLToPath(new URL('no-descriptors.mjs', import.meta.url))
  const env = { ...SMALL, NO_DESCRIPTORS: marker }
  const server = start(env, { descriptors: FEW, nodeArgs: ['--import', taker] })
  const port = await server.port()
  await server.allServe()
  const kept = connect(port, '127.0.0.1')
  sockets.push(kept)
  kept.write('GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n')
  await once(kept, 'data') // it is taken
  writeFileSync(marker, '')
  await until(() => server.output.errors.includes('none is left'), 'the last descriptor to be taken')
  for (let i = 0; i < 50; i++) await silent(port)
  kept.write(LIVE.replace('/health/live', '/metrics'))
  expect(String((await once(kept, 'data'))[0])).toContain('200 OK')
  rmSync(marker)
  for (let status: number | undefined; status !== 200; )
    status = await statusOf(port, LIVE).catch(() => undefined)
  expect(server.child.exitCode).toBeNull()
})
