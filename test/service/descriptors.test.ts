import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { exchange } from '../raw-http.js'
import { until } from '../until.js'
import { ownFolder, ownServers } from './own.js'

const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '64', THREADS: '2' }
/** Few for callers: a thread that starts needs most of them. */
const FEW = 192
const LIVE = 'GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n'

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
