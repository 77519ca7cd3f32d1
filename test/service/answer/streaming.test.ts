import { once } from 'node:events'
import type { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { countKernel, type KernelCount } from '../../counting-kernel.js'
import { MEDIA_TYPES } from '../../decode.js'
import { embed, listen, type TestService, testService } from '../../helper.js'
import { jsonRequest, open, parseAnswers } from '../../raw-http.js'
import { until, untilSettled } from '../../until.js'

const PATH = '/v1/input-embeddings'
const DIM = 1024
const MIB = 2 ** 20
/** Rows of DIM float32 elements in a block of the stream. */
const BLOCK_ROWS = MIB / (DIM * 4)
const RAW = [`Accept: ${MEDIA_TYPES.raw}`, 'Connection: close']

/** One token and much padding: an answer of any size from a small request. */
const answerOf = (mebibytes: number) => ({
  input_ids: [5],
  context_length: mebibytes * BLOCK_ROWS,
  tail: 'pad',
  pad_token_id: 7,
  position_embedding: 'none',
})

let service: TestService
let port: number
let kernel: KernelCount
beforeAll(async () => {
  const env = { VOCAB_SIZE: '64', EMBEDDING_DIM: String(DIM), MAX_RESPONSE_BYTES: String(300 * MIB) }
  service = await testService(env)
  port = await listen(service)
})
beforeEach(() => {
  kernel = countKernel()
})
afterEach(async () => {
  kernel.restore()
  await until(() => service.model.workspace.freeBlocks === FREE)
})
afterAll(() => service.close())

/** Free blocks of a workspace. */
const FREE = 16

/** Sends a request and stops reading as soon as the answer begins. */
async function begin(body: unknown, headers = RAW): Promise<{ socket: Socket; first: Buffer }> {
  const socket = await open(port)
  socket.write(jsonRequest(PATH, JSON.stringify(body), headers))
  await once(socket, 'readable')
  return { socket, first: socket.read() as Buffer }
}

const requestsLogged = () => service.log.lines.filter(({ msg }) => msg === 'request').length

describe('a slow reader', () => {
  test('is waited for: no block is made before the last one is taken', async () => {
    const { socket, first } = await begin(answerOf(128))
    const made = await untilSettled(() => kernel.calls)
    // The two sockets together buffer a few megabytes; the answer has 128.
    expect(made).toBeLessThan(64)
    expect(service.model.workspace.freeBlocks).toBe(FREE - 1)

    let bytes = first.length
    for await (const chunk of socket) bytes += chunk.length
    expect(bytes - (first.indexOf('\r\n\r\n') + 4)).toBe(128 * MIB)
    expect(kernel.calls).toBe(128)
    expect(kernel.rows).toBe(128 * BLOCK_ROWS)
  })

  test('gets its own bytes though requests behind it on its connection are answered meanwhile', async () => {
    const length = 32 * BLOCK_ROWS
    const input_ids = Array.from({ length: length + 1 }, (_, i) => (i + Math.floor(i / BLOCK_ROWS)) % 64) // no block is like the next one
    const body = { input_ids, context_length: length, position_embedding: 'none' }
    const alone = await embed(service, body, { accept: MEDIA_TYPES.raw })
    expect(alone.body.length).toBe(32 * MIB)
    const { socket, first } = await begin(body, RAW.slice(0, 1))
    await untilSettled(() => kernel.calls)
    const probe = 'GET /health/live HTTP/1.1\r\nHost: a\r\n'
    socket.write(`${`${probe}\r\n`.repeat(20)}${probe}Connection: close\r\n\r\n`)
    await untilSettled(() => requestsLogged() + kernel.calls)
    const chunks = [first]
    for await (const chunk of socket) chunks.push(chunk)
    const [answer, ...probes] = parseAnswers(Buffer.concat(chunks))
    expect(answer.body.equals(alone.body)).toBe(true)
    expect(probes.map(({ status }) => status)).toEqual(Array(21).fill(200))
  })

  test('does not hold up the others, however many there are', async () => {
    const slow = await Promise.all(Array.from({ length: FREE + 4 }, () => begin(answerOf(16))))
    await untilSettled(() => kernel.calls)
    const quick = await embed(service, answerOf(2), { accept: MEDIA_TYPES.raw })
    expect(quick.body.length).toBe(2 * MIB)
    for (const { socket, first } of slow) {
      let bytes = first.length
      for await (const chunk of socket) bytes += chunk.length
      expect(bytes - (first.indexOf('\r\n\r\n') + 4)).toBe(16 * MIB)
    }
  })
})

describe('a client that goes away', () => {
  test('stops the work', async () => {
    const logged = requestsLogged()
    const { socket } = await begin(answerOf(256))
    socket.destroy()
    await until(() => requestsLogged() > logged)
    const made = await untilSettled(() => kernel.calls)
    expect(made).toBeLessThan(64)
    expect(service.log.lines.at(-1)).toMatchObject({ msg: 'request', brokenOff: true })
  })

  test('stops it in every format, and a computed tensor’s too', async () => {
    const computed = { ...answerOf(256), outputs: ['input_ids', 'position_ids'], context_length: 32 * MIB }
    const cases = [
      { body: answerOf(16), accept: MEDIA_TYPES.json },
      { body: { ...answerOf(128), encoding_format: 'base64' }, accept: MEDIA_TYPES.json },
      { body: answerOf(128), accept: MEDIA_TYPES.npy },
      { body: answerOf(128), accept: MEDIA_TYPES.safetensors },
      { body: { ...answerOf(200), dtype: 'float16' }, accept: MEDIA_TYPES.safetensors },
      { body: computed, accept: MEDIA_TYPES.safetensors },
    ]
    const logged = requestsLogged()
    const begun = await Promise.all(cases.map(({ body, accept }) => begin(body, [`Accept: ${accept}`])))
    await untilSettled(() => kernel.calls)
    expect(requestsLogged()).toBe(logged)
    for (const { socket } of begun) socket.destroy()
    await until(() => requestsLogged() === logged + cases.length)
    const ends = service.log.lines.filter(({ msg }) => msg === 'request').slice(logged)
    expect(ends.map(({ brokenOff }) => brokenOff)).toEqual(cases.map(() => true))
    await until(() => service.model.workspace.freeBlocks === FREE) // some come back after the line of the log
  })

  test('leaves nothing held where the answer is one block, however early it goes', async () => {
    for (let round = 0; round < 20; round++) {
      const socket = await open(port)
      socket.write(jsonRequest(PATH, JSON.stringify(answerOf(1)), RAW))
      if (round % 2 === 0) await once(socket, 'readable')
      else await new Promise((resolve) => setTimeout(resolve, round / 4))
      socket.destroy()
    }
    await until(() => service.model.workspace.freeBlocks === FREE)
    expect(service.model.workspace.freeBlocks).toBe(FREE)
  })

  test('leaves nothing held of the answers that wait behind another one', async () => {
    const logged = await untilSettled(requestsLogged) // those that other tests ended
    const small = { ...answerOf(1), context_length: 4 }
    const bodies = [answerOf(64), small, answerOf(8), small, small]
    const formats = [
      MEDIA_TYPES.raw,
      MEDIA_TYPES.raw,
      MEDIA_TYPES.safetensors,
      MEDIA_TYPES.raw,
      MEDIA_TYPES.json,
    ]
    const socket = await open(port)
    const requests = bodies.map((body, i) =>
      jsonRequest(PATH, JSON.stringify(body), [`Accept: ${formats[i]}`]),
    )
    socket.write(Buffer.concat(requests.map((request) => Buffer.from(request))))
    await once(socket, 'readable')
    await untilSettled(() => kernel.calls)
    socket.destroy()
    await until(() => requestsLogged() === logged + bodies.length)
    expect(service.model.workspace.freeBlocks).toBe(FREE)
    const ends = service.log.lines.filter(({ msg }) => msg === 'request').slice(logged)
    expect(ends.map(({ brokenOff }) => brokenOff)).toEqual(bodies.map(() => true))
  })
})

describe('before anything is embedded', () => {
  test.each([
    ['an answer over the limit', answerOf(301), 413],
    ['a window that is not there', { input_ids: [1, 2], context_length: 4 }, 422],
    ['a batch that is not there', { ...answerOf(1), batch_size: 1, batch_index: 5 }, 422],
    ['an id without a row', { input_ids: [1, 64] }, 422],
    ['a context beyond the table', { input_ids: [1], context_length: 5000, tail: 'pad' }, 422],
  ])('%s is refused', async (_, body, status) => {
    expect((await embed(service, body, { accept: MEDIA_TYPES.raw })).status).toBe(status)
    expect(kernel.calls).toBe(0)
  })

  test('ids alone need no table', async () => {
    const outputs = [
      'input_ids',
      'target_ids',
      'attention_mask',
      'position_ids',
      'document_ids',
      'window_starts',
    ]
    expect((await embed(service, { ...answerOf(1), outputs })).status).toBe(200)
    expect(kernel.calls).toBe(0)
  })
})

test('Content-Length is exact where the size is known, beside the media type', async () => {
  for (const [body, accept] of [
    [answerOf(3), MEDIA_TYPES.raw],
    [answerOf(3), MEDIA_TYPES.npy],
    [answerOf(3), MEDIA_TYPES.safetensors],
    [{ ...answerOf(3), dtype: 'bfloat16' }, 'application/x-safetensors'],
    [{ ...answerOf(1), encoding_format: 'base64' }, MEDIA_TYPES.json],
    [{ input_ids: [1] }, MEDIA_TYPES.json],
  ] as const) {
    const { socket, first } = await begin(body, [`Accept: ${accept}`, 'Connection: close'])
    const chunks = [first]
    for await (const chunk of socket) chunks.push(chunk)
    const all = Buffer.concat(chunks)
    const [answer] = parseAnswers(all)
    expect(answer.headers['transfer-encoding']).toBeUndefined()
    expect(Number(answer.headers['content-length'])).toBe(all.length - all.indexOf('\r\n\r\n') - 4)
    expect(answer.headers['content-type']).toMatch(accept)
    expect(answer.headers['x-request-id']).toBeDefined()
    expect(answer.headers['server-timing']).toMatch(/^tokenize;dur=\d+\.\d{3}$/)
  }
})

test('bytes that are no HTTP, sent while an answer flows, never get into the answer', async () => {
  const { socket, first } = await begin(answerOf(32), [`Accept: ${MEDIA_TYPES.raw}`])
  socket.write('\x00\x01 no HTTP\r\n\r\n')
  await untilSettled(() => kernel.calls)
  const chunks = [first]
  socket.on('error', () => {})
  try {
    for await (const chunk of socket) chunks.push(chunk)
  } catch {} // a reset is one way to end
  const body = Buffer.concat(chunks).subarray(first.indexOf('\r\n\r\n') + 4)
  expect(body.length).toBeLessThanOrEqual(32 * MIB)
  expect(body.includes('HTTP/1.1')).toBe(false)
})

test('a long answer of many small parts leaves in few writes', async () => {
  const socket = await open(port)
  const body = JSON.stringify({ text: Array(20_000).fill('!'), count_only: true })
  socket.write(jsonRequest('/v1/tokenize', body, ['Connection: close']))
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  const raw = Buffer.concat(chunks)
  expect(JSON.parse(parseAnswers(raw)[0].body.toString()).documents).toHaveLength(20_000)
  const sizes: number[] = []
  for (let at = raw.indexOf('\r\n\r\n') + 4; ; ) {
    const line = raw.indexOf('\r\n', at)
    const size = Number.parseInt(raw.toString('latin1', at, line), 16)
    if (size === 0) break
    sizes.push(size)
    at = line + 2 + size + 2
  }
  expect(sizes.length).toBeGreaterThan(2)
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(40_000)
})
