import { Agent, request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { onesFor } from '../features/learning/http/trainer.js'
import { tableFile } from '../table-files.js'
import { until } from '../until.js'
import { type ServerProcess, startServer } from './server-process.js'

// The built service with two threads: calls of a writer come to either, and all readers see whole versions.

const ADMIN_KEY = 'admin-s3cret'
const ROWS = 500
const DIM = 32
const IDS = Array.from({ length: ROWS }, (_, i) => i)
const SAFETENSORS = { 'content-type': 'application/vnd.safetensors' }
const READERS = 12
const STEPS = 5

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  readonly body: any
}

let server: ServerProcess
let port: number
let logBefore: number
const log = () => server.output.log.slice(logBefore)
beforeAll(async () => {
  const env = { THREADS: '2', ADMIN_KEY, LOG_LEVEL: 'debug', VOCAB_SIZE: '64', EMBEDDING_DIM: '8' }
  server = startServer(env)
  await server.allServe()
  port = await server.port()
})

afterAll(async () => {
  server.kill()
  await server.exited
})

beforeEach(async () => {
  logBefore = server.output.log.length
  await call('DELETE', '/v1/models/small')
  const zeros = { 'wte.weight': { shape: [ROWS, DIM], numbers: new Array(ROWS * DIM).fill(0) } }
  const made = await call(
    'PUT',
    '/v1/models/small',
    tableFile(zeros, { position_embedding: 'none' }),
    SAFETENSORS,
  )
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const begun = await call('PUT', '/v1/models/small/optimizer', { type: 'sgd', lr: 1 })
  expect(begun.status, JSON.stringify(begun.body)).toBe(201)
})

/** A call; without an agent on a separate connection, which either thread may get. */
function call(
  method: string,
  path: string,
  body?: object | Buffer,
  headers: Readonly<Record<string, string>> = {},
  { agent = false, isDropped = false }: { agent?: Agent | false; isDropped?: boolean } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const payload = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
    const type = body === undefined || Buffer.isBuffer(body) ? {} : { 'content-type': 'application/json' }
    const all = { authorization: `Bearer ${ADMIN_KEY}`, ...type, ...headers }
    const sent = request({ host: '127.0.0.1', port, method, path, headers: all, agent }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: answer.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) })
      })
    })
    sent.on('error', isDropped ? () => resolve({ status: 0, body: undefined }) : reject)
    // The whole request is sent, and the answer is not read.
    sent.end(payload, () => isDropped && setTimeout(() => sent.destroy(), 2))
  })
}

const keyed = (call: number) => ({ 'idempotency-key': `call-${call}` })
const gradients = (number: number, options = {}, headers = {}) =>
  call(
    'POST',
    '/v1/models/small/gradients',
    tableFile(onesFor(IDS, DIM, -1)),
    { ...SAFETENSORS, ...keyed(number), ...headers },
    options,
  )
const step = (number: number, options = {}) =>
  call('POST', '/v1/models/small/steps', {}, keyed(number), options)

/** Reads all rows; every number is that of the answer's version. @returns the version */
function readWhole(agent: Agent): Promise<number> {
  const payload = JSON.stringify({ model: 'small', input_ids: IDS, outputs: ['input_embeddings'] })
  const headers = {
    authorization: `Bearer ${ADMIN_KEY}`,
    'content-type': 'application/json',
    accept: 'application/octet-stream',
  }
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method: 'POST', path: '/v1/input-embeddings', headers, agent }
    const sent = request(options, async (answer) => {
      try {
        const bytes = new Uint8Array(Buffer.concat(await answer.toArray()))
        expect([answer.statusCode, bytes.length]).toEqual([200, 4 * ROWS * DIM])
        const version = Number(answer.headers['x-model-version'])
        expect(new Set(new Float32Array(bytes.buffer))).toEqual(new Set([version - 1]))
        resolve(version)
      } catch (error) {
        reject(error)
      }
    })
    sent.on('error', reject).end(payload)
  })
}

test('12 readers beside a writer see whole versions, which only grow', async () => {
  let isOver = false
  const read = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let [last, count] = [0, 0]
    while (!isOver) {
      const version = await readWhole(agent)
      expect(version).toBeGreaterThanOrEqual(last)
      last = version
      count++
    }
    agent.destroy()
    return count
  }
  const readers = Array.from({ length: READERS }, read)
  for (let i = 0; i < STEPS; i++) {
    expect((await gradients(2 * i + 1)).status).toBe(200)
    const { body } = await step(2 * i + 2)
    expect(body).toMatchObject({
      step: i + 1,
      model_version: String(i + 2),
      rows_updated: { 'wte.weight': ROWS },
    })
    expect(await readWhole(new Agent())).toBe(i + 2)
  }
  isOver = true
  for (const count of await Promise.all(readers)) expect(count).toBeGreaterThan(0)
  expect(log()).toContain('"msg":"step"')
  const metrics = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  })
  expect(await metrics.text()).toMatch(
    new RegExp(`inlet_learning_seconds_count\\{call="step"\\} ${STEPS}\\b`),
  )
})

test('calls whose answers are lost are sent again, and have their effect once', async () => {
  const many = async (send: (options: object) => Promise<Answer>) => {
    await Promise.all([send({ isDropped: true }), send({ isDropped: true })])
    const { status, body } = await send({})
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  for (let i = 0; i < 10; i++) {
    // A copy of gradients may come after the step, which has forgotten their key.
    await many((options) => gradients(2 * i + 1, options, { 'if-match': `"${i + 1}"` }))
    expect(await many((options) => step(2 * i + 2, options))).toMatchObject({ step: i + 1 })
  }
  expect(await readWhole(new Agent())).toBe(11)
})

test('a body that breaks off changes nothing', async () => {
  const whole = tableFile(onesFor(IDS, DIM, -1))
  const broken = new Promise<void>((resolve) => {
    const headers = {
      ...SAFETENSORS,
      ...keyed(1),
      authorization: `Bearer ${ADMIN_KEY}`,
      'content-length': String(whole.length),
    }
    const options = {
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: '/v1/models/small/gradients',
      headers,
      agent: false as const,
    }
    const sent = request(options)
    sent.on('error', () => resolve())
    sent.write(whole.subarray(0, whole.length - 100), () => setTimeout(() => sent.destroy(), 20))
  })
  await broken
  await until(() => /"status":499/.test(log()), 'the end of the broken request')
  expect((await call('GET', '/v1/models/small/optimizer')).body.pending).toBe(0)
  expect((await gradients(1)).body.pending).toBe(1)
})

describe('deletes under way', () => {
  test('a step is whole or not at all, and the service stays up', async () => {
    await gradients(1)
    const answers = await Promise.all([step(2), call('DELETE', '/v1/models/small/optimizer'), step(2)])
    for (const { status } of answers) expect([200, 204, 404]).toContain(status)
    const version = await readWhole(new Agent())
    expect(version).toBe(answers.some(({ body }) => body?.step === 1) ? 2 : 1)
    expect((await call('PUT', '/v1/models/small/optimizer', { type: 'sgd', lr: 1 })).status).toBe(201)
    const calls = Array.from({ length: 6 }, (_, i) =>
      i === 3 ? call('DELETE', '/v1/models/small') : gradients(i + 1),
    )
    for (const { status } of await Promise.all(calls)) expect([200, 204, 404, 409]).toContain(status)
    expect((await call('GET', '/v1/models/small')).status).toBe(404)
  })
})
