import { Agent, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.js'
import { ownServers } from './own.js'

const start = ownServers()
const CONNECTIONS = 64

/** Loaded in every thread: tells for each request which thread serves it. */
const TELL_THREADS = `data:text/javascript,${encodeURIComponent(`
import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
subscribe('http.server.request.start', ({ request }) => writeSync(2, threadId + ' ' + request.url + '\\n'))
`)}`

/** Sends a request by a connection of the pool's. @returns the status */
function get(agent: Agent, port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!))
    })
    sent.on('error', reject).end()
  })
}

test('a pool of connections opened at the first ready is served by all threads, without a 503', async () => {
  const server = start({ THREADS: '2', EMBEDDING_DIM: '8' }, { nodeArgs: ['--import', TELL_THREADS] })
  const port = await server.port()
  await server.ready()
  const pool = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  onTestFinished(() => pool.destroy())
  const path = '/v1/models/default/position-embeddings?context_length=4'
  const statuses = await Promise.all(Array.from({ length: CONNECTIONS * 4 }, () => get(pool, port, path)))
  expect(new Set(statuses)).toEqual(new Set([200]))
  const threads = () =>
    server.output.errors.split('\n').flatMap((line) => {
      const [thread, url] = line.split(' ')
      return url === path ? [thread] : []
    })
  await until(() => threads().length === statuses.length, 'a line for each request')
  expect(new Set(threads()).size, 'threads that serve').toBe(2)
})
