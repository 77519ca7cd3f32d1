import { createHash } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { t5Bucket } from '../../src/first-layer/embeddings/positions/t5.js'
import { TorchGenerator } from '../../src/first-layer/random/generator.js'
import { type RunningService, runService } from './running-service.js'

const T = 4096
const GIB = 2 ** 30
/** Bytes by which memory may vary while blocks are made, sent and collected. */
const SLACK_BYTES = 64 * 2 ** 20

let service: RunningService
beforeAll(async () => {
  service = await runService({ EMBEDDING_DIM: '8' })
})
afterAll(() => service.stop())

function open(path: string, body?: unknown): Promise<IncomingMessage> {
  const headers = { accept: 'application/octet-stream', 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const outgoing = request({ port: service.port, path, method, headers }, resolve)
    outgoing.on('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const positions = (query: string) =>
  open(`/v1/models/default/position-embeddings?context_length=${T}&${query}`)

interface Streamed {
  readonly status: number | undefined
  readonly declared: number
  readonly bytes: number
  readonly sha256: string
  readonly growth: number | undefined
}

/** Reads an answer to its end and watches the service's memory meanwhile. */
async function streamed(answer: IncomingMessage): Promise<Streamed> {
  const hash = createHash('sha256')
  const before = service.memory()
  let peak = before
  let bytes = 0
  let looked = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    hash.update(part)
    bytes += part.length
    if (bytes - looked < 2 ** 24) continue
    looked = bytes
    peak = Math.max(peak ?? 0, service.memory() ?? 0)
  }
  if (before === undefined) console.info('skipped where there is no /proc: the memory of the service')
  const declared = Number(answer.headers['content-length'])
  const growth = before === undefined ? undefined : (peak ?? 0) - before
  return { status: answer.statusCode, declared, bytes, sha256: hash.digest('hex'), growth }
}

/** sha256 of `planes` matrices [T, T, width], written row by row: entry(plane, distance) → its numbers. */
function twinHash(
  planes: number,
  width: number,
  entry: (plane: number, distance: number) => ArrayLike<number>,
): string {
  const hash = createHash('sha256')
  const line = new Float32Array((2 * T - 1) * width)
  for (let plane = 0; plane < planes; plane++) {
    for (let distance = 1 - T; distance < T; distance++) {
      line.set(Float32Array.from(entry(plane, distance)), (distance + T - 1) * width)
    }
    for (let query = 0; query < T; query++) {
      hash.update(new Uint8Array(line.buffer, (T - 1 - query) * width * 4, T * width * 4))
    }
  }
  return hash.digest('hex')
}

function drawn(...lengths: number[]): Float32Array[] {
  const generator = new TorchGenerator(123)
  return lengths.map((length) => {
    const table = new Float32Array(length)
    generator.normal(table)
    return table
  })
}

const [biases] = drawn(32 * 16)
const [keys, values] = drawn(33 * 16, 33 * 16)
const bucketOf = t5Bucket({ num_buckets: 32, max_distance: 128, bidirectional: true })
const clipped = (distance: number) => Math.min(Math.max(distance, -16), 16) + 16
const shawRow = (table: Float32Array) => (_plane: number, distance: number) =>
  table.subarray(clipped(distance) * 16, clipped(distance) * 16 + 16)

const GIGABYTES = [
  [
    'alibi',
    'position_embedding=alibi&position_embedding.num_heads=16&outputs=position_bias',
    () => twinHash(16, 1, (head, distance) => [distance > 0 ? -Infinity : 2 ** (-(head + 1) / 2) * distance]),
  ],
  [
    't5',
    'position_embedding=t5&position_embedding.num_heads=16&outputs=position_bias',
    () => twinHash(16, 1, (head, distance) => [biases![bucketOf(distance) * 16 + head]!]),
  ],
  [
    'shaw, keys',
    'position_embedding=shaw&position_embedding.head_dim=16&outputs=relative_key_embeddings',
    () => twinHash(1, 16, shawRow(keys!)),
  ],
  [
    'shaw, values',
    'position_embedding=shaw&position_embedding.head_dim=16&outputs=relative_value_embeddings',
    () => twinHash(1, 16, shawRow(values!)),
  ],
] as const

describe('a gigabyte of positions', () => {
  it.each(GIGABYTES)('flows in constant memory, right to the last bit (%s)', async (name, query, twin) => {
    const { status, declared, bytes, sha256, growth } = await streamed(await positions(query))
    console.info(
      `${name}: the service grew by ${growth === undefined ? '?' : Math.round(growth / 2 ** 20)} MiB`,
    )
    expect({ status, declared, bytes }).toEqual({ status: 200, declared: GIB, bytes: GIB })
    expect(sha256).toBe(twin())
    if (growth !== undefined) expect(growth).toBeLessThan(SLACK_BYTES)
  })

  it('beside a text’s embeddings too', async () => {
    const answer = await open('/v1/input-embeddings', {
      input_ids: new Array(T).fill(0),
      position_embedding: { type: 'alibi', num_heads: 16, form: 'symmetric' },
      outputs: ['position_bias'],
    })
    const { status, bytes, growth } = await streamed(answer)
    expect({ status, bytes }).toEqual({ status: 200, bytes: GIB })
    if (growth !== undefined) expect(growth).toBeLessThan(SLACK_BYTES)
  })

  it('waits for a client that stops reading, and for sixteen of them', async () => {
    const before = service.memory()
    const answers = await Promise.all(Array.from({ length: 16 }, () => positions(GIGABYTES[0][1])))
    await delay(2000)
    const growth = (service.memory() ?? 0) - (before ?? 0)
    for (const answer of answers) answer.destroy()
    if (before !== undefined) expect(growth).toBeLessThan(2 * SLACK_BYTES)
  })

  it('leaves other requests their turn', async () => {
    let flowing = true
    const stream = streamed(
      await positions('position_embedding=rope&position_embedding.head_dim=65536&outputs=cos'),
    )
    stream.then(() => {
      flowing = false
    })
    let answered = 0
    while (flowing) {
      const live = await open('/health/live')
      live.resume()
      expect(live.statusCode).toBe(200)
      answered++
    }
    expect((await stream).bytes).toBe(T * 32_768 * 4)
    expect(answered).toBeGreaterThan(20)
  })
})
