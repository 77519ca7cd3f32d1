import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { until } from '../until.js'
import { ownServers } from './own.js'

const TICKS = fileURLToPath(new URL('./ticks.mjs', import.meta.url))
const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '8', THREADS: '1' }

const startServer = ownServers()

test('one object of process.nextTick outlives all collections, so that V8 knows its shape', async () => {
  const server = startServer(SMALL, { nodeArgs: ['--expose-gc', '--import', TICKS] })
  await server.ready()
  server.child.kill('SIGUSR2')
  const alive = /ticks alive: (\d+)/
  await until(() => alive.test(server.output.errors), 'the count of ticks')
  expect(Number(alive.exec(server.output.errors)?.[1])).toBe(1)
})
