import { renameSync, writeFileSync } from 'node:fs'
import { Agent, type RequestOptions, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../until.js'
import { ownFolder, ownServers } from './own.js'
import { QUICK_WATCH } from './server-process.js'

const folder = ownFolder('exchange')
const startServer = ownServers()

/** Puts a file in the place of another at once. */
function put(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(`${path}.next`, text)
  renameSync(`${path}.next`, path)
  return path
}

const KEPT = { name: 'kept', key: 'kept-s3cret' }
const putCallers = (...callers: object[]) =>
  put('callers.json', JSON.stringify({ callers: [KEPT, ...callers] }))

/** Between two requests of a client: the test and the service share the machine. */
const PAUSE_MS = 5

function embed(port: number, key: string, options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const path = '/v1/input-embeddings'
    const call = request({ host: '127.0.0.1', port, method: 'POST', path, headers, ...options }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode))
      answer.on('error', reject)
    })
    call.on('error', reject)
    call.end('{"input_ids":[1,2,3,4,5,6,7,8],"context_length":2}')
  })
}

test('keys are exchanged under load, and no request fails', async () => {
  const small = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '64', THREADS: '2' }
  const API_KEYS_FILE = putCallers({ name: 'guest', key: 'guest-0' })
  const started = startServer({ ...small, API_KEYS_FILE }, QUICK_WATCH)
  await started.allServe()
  const port = await started.port()
  const said = (message: string) => started.output.log.split(message).length - 1

  const kept = new Agent({ keepAlive: true, maxSockets: 4 })
  let isOver = false
  const failed: unknown[] = []
  let answered = 0
  const client = async (options: RequestOptions) => {
    while (!isOver) {
      await embed(port, KEPT.key, options).then(
        (status) => (status === 200 ? answered++ : failed.push(status)),
        (error) => failed.push(error),
      )
      await pause(PAUSE_MS)
    }
  }
  const clients = [
    ...Array.from({ length: 4 }, () => client({ agent: kept })),
    ...Array.from({ length: 2 }, () => client({ agent: false })),
  ]
  for (const i of [1, 2]) {
    putCallers({ name: 'guest', key: `guest-${i}` })
    await until(() => said('the keys have changed') >= i)
    const before = answered
    await until(() => answered > before + 60)
    const fresh = await Promise.all(
      Array.from({ length: 8 }, () => embed(port, `guest-${i}`, { agent: false })),
    )
    expect(fresh).toEqual(Array(8).fill(200))
    expect(await embed(port, `guest-${i - 1}`, { agent: false })).toBe(401)
  }
  isOver = true
  await Promise.all(clients)
  kept.destroy()
  expect(failed).toEqual([])
  expect(started.output.log).not.toContain('s3cret')
})
