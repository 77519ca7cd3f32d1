import { createHash } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TorchGenerator } from '../../src/first-layer/random/generator.js'
import { type RunningService, runService } from './running-service.js'

const VOCAB = 50257
const DIM = 12288
const MIB = 2 ** 20
const GIB = 2 ** 30
/** Bytes by which memory may vary while blocks are made, sent and collected. */
const SLACK_BYTES = 64 * MIB

let service: RunningService
beforeAll(async () => {
  service = await runService({ EMBEDDING_DIM: String(DIM), MAX_POSITION_EMBEDDINGS: '2048' })
})
afterAll(() => service.stop())

function open(body: object, accept = 'application/octet-stream'): Promise<IncomingMessage> {
  const headers = { accept, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port: service.port, path: '/v1/input-embeddings', method: 'POST', headers },
      resolve,
    )
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify(body))
  })
}

async function hashed(answer: IncomingMessage, watch = () => {}) {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    hash.update(part)
    bytes += part.length
    watch()
  }
  expect(answer.statusCode).toBe(200)
  expect(bytes).toBe(Number(answer.headers['content-length']))
  return { bytes, sha256: hash.digest('hex') }
}

/** The rows of both tables one after the other, drawn without a model: PyTorch's stream in slices of whole blocks. */
function* drawnRows(rows: number): Generator<Float32Array> {
  const generator = new TorchGenerator(123)
  for (let row = 0; row < rows; row++) {
    const values = new Float32Array(DIM)
    generator.normal(values)
    yield values
  }
}

test('the whole table of GPT-3, 50257 × 12288, comes out as it is drawn: 2.5 GB in constant memory', async () => {
  const expected = createHash('sha256')
  for (const row of drawnRows(VOCAB)) expected.update(new Uint8Array(row.buffer))

  const input_ids = Array.from({ length: VOCAB }, (_, i) => i)
  const before = service.memory()
  let peak = before ?? 0
  let parts = 0
  const answer = await hashed(
    await open({ input_ids, position_embedding: 'none', outputs: ['token_embeddings'] }),
    () => {
      if (parts++ % 256 === 0) peak = Math.max(peak, service.memory() ?? 0)
    },
  )
  expect(answer.bytes).toBe(VOCAB * DIM * 4)
  expect(answer.sha256).toBe(expected.digest('hex'))
  if (before === undefined) console.info('skipped where there is no /proc: the memory of the service')
  else expect(peak - before).toBeLessThan(SLACK_BYTES)
})

test('sums with the learned positions, batched, are those of the rows', async () => {
  const wanted = new Set([0, 1, 40, 367, VOCAB - 1])
  const kept = new Map<number, Float32Array>()
  let row = 0
  for (const values of drawnRows(VOCAB + 2048)) {
    if (wanted.has(row) || row >= VOCAB) kept.set(row, values)
    row++
  }
  const ids = [40, 367, VOCAB - 1, 0, 1]
  const position = 2043
  const expected = createHash('sha256')
  for (const [i, id] of ids.entries()) {
    const [token, place] = [kept.get(id)!, kept.get(VOCAB + position + i)!]
    expected.update(new Uint8Array(token.map((value, c) => value + place[c]).buffer))
  }
  const answer = await hashed(await open({ input_ids: ids, position_offset: position }))
  expect(answer.sha256).toBe(expected.digest('hex'))
})

test('gigabytes for many slow readers at once cost a block each', async () => {
  const call = {
    input_ids: [5],
    context_length: (2 * GIB) / (DIM * 4),
    tail: 'pad',
    pad_token_id: 7,
    position_embedding: 'none',
  }
  const before = service.memory()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => open({ ...call, context_length: Math.floor(call.context_length) })),
  )
  const results = await Promise.all(answers.map((answer) => hashed(answer)))
  expect(new Set(results.map(({ sha256 }) => sha256)).size).toBe(1)
  expect(results[0].bytes).toBe(Math.floor(call.context_length) * DIM * 4)
  if (before !== undefined) expect((service.memory() ?? 0) - before).toBeLessThan(4 * SLACK_BYTES)
})
