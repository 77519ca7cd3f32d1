import { afterAll, beforeAll, describe, expect, test } from 'vitest'
// @ts-expect-error a script without types
import { ADMIN_KEY, client, constantTable, floatsOf } from '../attacks/harness/model-calls.mjs'
// @ts-expect-error a script without types
import { startService } from '../attacks/harness/service.mjs'
import { readGolden, sha256 } from '../goldens.js'

// The built service with two threads: what one of them is told, all of them do.

interface Answer {
  readonly status: number
  readonly code?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  json(): any
}

let service: { port: number; kill(): void; exited: Promise<unknown> }
let calls: Record<string, (...given: unknown[]) => Promise<Answer>> & { close(): void }
beforeAll(async () => {
  service = await startService({ env: { THREADS: '2', ADMIN_KEY, VOCAB_SIZE: '1000', EMBEDDING_DIM: '64' } })
  calls = client(service.port, 1)
})
afterAll(async () => {
  calls.close()
  service.kill()
  await service.exited
})

/** Asks on so many new connections that both threads answer. */
async function everywhere<Result>(ask: (own: typeof calls) => Promise<Result>): Promise<Result[]> {
  const all = Array.from({ length: 12 }, () => client(service.port, 1))
  try {
    return await Promise.all(all.map(ask))
  } finally {
    for (const each of all) each.close()
  }
}

const embed = (own: typeof calls, body: object) =>
  own.call('POST', '/v1/input-embeddings', {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('the models of the service', () => {
  test('are the environment’s and the package’s: tiny is the book’s nn.Embedding(6, 3) under seed 123', async () => {
    const list = await calls.call('GET', '/v1/models')
    const found = list.json().data.map((model: { id: string; state: string }) => [model.id, model.state])
    expect(found).toEqual([
      ['default', 'ready'],
      ['tiny', 'ready'],
    ])
    interface Case {
      readonly id: string
      readonly expect: readonly { readonly sha256_f32le: string }[]
    }
    const { cases } = readGolden<{ cases: Case[] }>('embedding_init.json')
    const book = cases.find(({ id }) => id === 'book-emb-6x3-seed123')
    const { body } = await calls.rows('tiny', [0, 1, 2, 3, 4, 5])
    expect(sha256(body)).toBe(book?.expect[0].sha256_f32le)
    expect([...floatsOf({ body })].slice(0, 3).map((value: number) => value.toFixed(4))).toEqual([
      '0.3374',
      '-0.1778',
      '-0.1690',
    ])
  })

  test('a model that one thread makes, all have; the sums are those that one does by hand', async () => {
    const card = { vocab_size: 4, embedding_dim: 3, max_position_embeddings: 2 }
    const made = await calls.make('hand', card)
    expect([made.status, made.json().state, made.json().model_version]).toEqual([201, 'ready', '1'])
    const file = twoTables([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [1.1, 1.2, 1.3, -1, 0, 1])
    expect((await calls.exchange('hand', file)).json()).toEqual({ model: 'hand', model_version: '2' })
    const answers = await everywhere((own) => embed(own, { model: 'hand', input_ids: [0, 3] }))
    for (const answer of answers) {
      expect(answer.headers['x-model-version']).toBe('2')
      expect(answer.json().model_version).toBe('2')
      expect(answer.json().outputs.input_embeddings.data).toEqual([
        [
          [2.1, 2.2, 2.3],
          [0, 1, 2],
        ],
      ])
    }
    expect((await calls.remove('hand')).status).toBe(204)
    const gone = await everywhere((own) => embed(own, { model: 'hand', input_ids: [0] }))
    expect(gone.map(({ code }) => code)).toEqual(gone.map(() => 'model_not_found'))
  })

  test('a file that is read back makes the same model again', async () => {
    await calls.make('six', { vocab_size: 6, embedding_dim: 3, max_position_embeddings: 4 })
    const read = await calls.tables('six')
    expect(read.headers.etag).toMatch(/^"1-[0-9a-f]{64}"$/)
    const type = 'application/vnd.safetensors'
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': type }
    const copied = await calls.call('PUT', '/v1/models/copy', { headers, body: read.body })
    expect([copied.status, copied.json().tables.source]).toEqual([201, 'upload'])
    const ids = [5, 0, 3]
    const [own, copy] = await Promise.all([calls.rows('six', ids), calls.rows('copy', ids)])
    expect(copy.body.equals(own.body)).toBe(true)
    expect((await calls.tables('copy')).body.equals(read.body)).toBe(true)
  })

  test('an unloaded model is loaded again by the first request, under the next version', async () => {
    await calls.make('idle', { vocab_size: 4, embedding_dim: 3, max_position_embeddings: 2, seed: 9 })
    const before = await calls.rows('idle', [1])
    const post = (what: string) =>
      calls.call('POST', `/v1/models/idle/${what}`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })
    expect((await post('unload')).json()).toMatchObject({ state: 'unloaded', model_version: null })
    const answers = await everywhere((own) => own.rows('idle', [1]))
    for (const answer of answers) {
      expect([answer.status, answer.headers['x-model-version']]).toEqual([200, '2'])
      expect(answer.body.equals(before.body)).toBe(true)
    }
    expect((await post('load')).json()).toMatchObject({ state: 'ready', model_version: '2' })
  })

  test('exchanges under readers on both threads: each answer is of the version in its header', async () => {
    const wrong: unknown[] = []
    let running = true
    const reading = everywhere(async (own) => {
      while (running) {
        const answer = await own.rows('default', [1, 2, 3])
        const version = Number(answer.headers['x-model-version'])
        const rows = floatsOf(answer) as Float32Array
        if (version > 1 && !rows.every((value) => value === version)) wrong.push([version, rows[0]])
      }
    })
    for (let version = 2; version <= 5; version++) {
      const answer = await calls.exchange('default', constantTable(1000, 64, version))
      expect(answer.json().model_version).toBe(String(version))
      // From now on no request gets the version before.
      const next = await everywhere((own) => own.rows('default', [7]))
      expect(next.map(({ headers }) => headers['x-model-version'])).toEqual(next.map(() => String(version)))
    }
    running = false
    await reading
    expect(wrong).toEqual([])
  })
})

/** A safetensors file of `wte.weight` [4, 3] and `wpe.weight` [2, 3]. */
function twoTables(wte: number[], wpe: number[]): Buffer {
  const header = {
    'wte.weight': { dtype: 'F32', shape: [4, 3], data_offsets: [0, 48] },
    'wpe.weight': { dtype: 'F32', shape: [2, 3], data_offsets: [48, 72] },
  }
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  return Buffer.concat([length, json, Buffer.from(Float32Array.from([...wte, ...wpe]).buffer)])
}
