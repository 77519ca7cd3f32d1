import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { modelAnswer } from '../../../src/features/models/document.js'
import { AUTHORIZATION, type ManagedService, managedService } from '../../managed.js'
import { readTables, tableFile } from '../../table-files.js'

let service: ManagedService
beforeAll(async () => {
  service = await managedService()
})
afterAll(() => service.close())
afterEach(async () => {
  expect(service.open).toEqual({ uploads: 0, leases: 0 })
  const { data } = (await service.app.inject('/v1/models')).json()
  for (const { id } of data) if (id !== 'default' && id !== 'book') await call('DELETE', id)
})

const BOOK = { embedding_dim: 3, vocab_size: 6, max_position_embeddings: 4 }

function call(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, payload?: object | Buffer) {
  const type = Buffer.isBuffer(payload) ? 'application/x-safetensors' : 'application/json'
  const headers = payload === undefined ? AUTHORIZATION : { ...AUTHORIZATION, 'content-type': type }
  return service.app.inject({ method, url: `/v1/models/${path}`, headers, payload })
}

function numbers(count: number, value: number): number[] {
  return Array(count).fill(value)
}

describe('a card', () => {
  test('makes a model; the same again is there already; another one is refused', async () => {
    const made = await call('PUT', 'mine', BOOK)
    expect(made.statusCode).toBe(201)
    expect(made.json()).toEqual((await call('GET', 'mine')).json())
    expect(made.json()).toMatchObject({ id: 'mine', state: 'ready', model_version: '1', table_bytes: 120 })
    const again = await call('PUT', 'mine', { ...BOOK, seed: '123', encoding: 'gpt2' })
    expect([again.statusCode, again.json()]).toEqual([200, made.json()])
    const other = await call('PUT', 'mine', { ...BOOK, seed: 7 })
    expect([other.statusCode, other.json().error.code]).toEqual([409, 'model_exists'])
  })

  test('whose seed would have to go through numbers without end is refused, and so is a request', async () => {
    const long = { vocab_size: 6, embedding_dim: 1024, max_position_embeddings: 2 ** 20 + 1 }
    const bert = { architecture: 'bert', position_embedding: 'rope' }
    const refused = await call('PUT', 'mine', { ...long, ...bert })
    expect(refused.statusCode).toBe(400)
    expect(refused.json().error).toMatchObject({
      param: 'max_position_embeddings',
      message: expect.stringContaining('at most 1048576'),
    })
    expect((await call('PUT', 'mine', { ...long, architecture: 'llama' })).statusCode).toBe(201)
    const { app } = service
    const asked = await app.inject({
      method: 'POST',
      url: '/v1/input-embeddings',
      payload: { model: 'mine', input_ids: [1, 2, 3], context_length: 2, stride: 2, ...bert },
    })
    expect(asked.statusCode).toBe(422)
    expect(asked.json().error.message).toMatch(/1073748992 numbers come before it .* more than 1073741824/)
  })

  test('gives the rows that a seed draws', async () => {
    await call('PUT', 'mine', BOOK)
    const [mine, book] = [await call('GET', 'mine/tables'), await call('GET', 'book/tables')]
    expect(mine.rawPayload).toEqual(book.rawPayload)
  })

  test.each([
    [{}, 'embedding_dim'],
    [{ ...BOOK, dtype: 'float16' }, 'dtype'],
    [{ ...BOOK, vocab_size: 0 }, 'vocab_size'],
    [{ ...BOOK, seed: 1.5 }, 'seed'],
    [{ ...BOOK, position_embedding: { type: 'rope', head_dim: 7 } }, 'position_embedding.head_dim'],
    [{ ...BOOK, architecture: 'mamba' }, 'architecture'],
  ])('%j is refused', async (card, param) => {
    const answer = await call('PUT', 'mine', card)
    expect(answer.statusCode).toBe(400)
    expect(answer.json().error).toMatchObject({ code: 'invalid_request', param })
    expect((await call('GET', 'mine')).statusCode).toBe(404)
  })

  test('that needs more memory than there may be leaves nothing behind', async () => {
    const answer = await call('PUT', 'mine', { embedding_dim: 4096 })
    expect([answer.statusCode, answer.json().error.code]).toEqual([507, 'insufficient_memory'])
    expect((await call('GET', 'mine')).statusCode).toBe(404)
  })

  test.each(['-a', '.', 'a%2F-b', 'a%2Fb%2Fc', 'ä', 'x'.repeat(129), 'a%20b'])(
    'cannot be called %s',
    async (id) => {
      const answer = await call('PUT', id, BOOK)
      expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'invalid_request'])
      expect(answer.json().error.message).toMatch(/1 to 128 letters, digits/)
    },
  )
})

describe('a file of tables', () => {
  const tensors = {
    'wte.weight': { shape: [5, 2], numbers: numbers(10, 1.5) },
    'wpe.weight': { shape: [3, 2], numbers: numbers(6, 2.5) },
  }

  test('makes a model: shapes give its sizes, metadata the rest', async () => {
    const file = tableFile(
      {
        ...tensors,
        'wtt.weight': { shape: [4, 2], numbers: numbers(8, 3.5) },
        'norm.weight': { shape: [2], numbers: [1, 1] },
        'norm.bias': { shape: [2], numbers: [0, 0.5] },
      },
      { architecture: 'bert', encoding: 'cl100k_base', format: 'pt' },
    )
    const made = await call('PUT', 'mine', file)
    expect(made.statusCode).toBe(201)
    expect(made.json()).toMatchObject({
      ...{ vocab_size: 5, embedding_dim: 2, max_position_embeddings: 3, architecture: 'bert' },
      ...{ encoding: 'cl100k_base', dtype: 'float32', model_version: '1', special_tokens: {} },
      ...{ pad_token_id: null, tables: { source: 'upload' } },
    })
    const back = readTables((await call('GET', 'mine/tables')).rawPayload)
    expect(back).toEqual(readTables(file))
    const again = await call('PUT', 'mine', file)
    expect([again.statusCode, again.json().error.code]).toEqual([409, 'model_exists'])
  })

  test('keeps the element type and needs no position table where the scheme has none', async () => {
    const file = tableFile(
      { 'wte.weight': { shape: [5, 2], dtype: 'BF16', bytes: Buffer.alloc(20, 1) } },
      { position_embedding: '{"type":"rope","head_dim":2}' },
    )
    const made = await call('PUT', 'mine', file)
    expect([made.statusCode, made.json().dtype]).toEqual([201, 'bfloat16'])
    expect(made.json()).toMatchObject({ position_embedding: 'rope', max_position_embeddings: 1024 })
  })

  test('read back makes the same under another name', async () => {
    const { rawPayload } = await call('GET', 'book/tables')
    expect((await call('PUT', 'copy', rawPayload)).statusCode).toBe(201)
    expect((await call('GET', 'copy/tables')).rawPayload).toEqual(rawPayload)
  })

  const { 'wpe.weight': wpe, 'wte.weight': wte } = tensors
  test.each([
    ['no token table', tableFile({ 'wpe.weight': wpe }), 422, 'wte.weight'],
    ['no position table', tableFile({ 'wte.weight': wte }), 422, 'wpe.weight'],
    ['a table without rows', tableFile({ 'wte.weight': { shape: [0, 2] } }), 422, 'wte.weight'],
    ['a vector', tableFile({ 'wte.weight': { shape: [2], numbers: [1, 1] } }), 422, 'wte.weight'],
    ['two widths', tableFile({ ...tensors, 'wpe.weight': { ...wpe, shape: [2, 3] } }), 422, 'wpe.weight'],
    [
      'two element types',
      tableFile({ ...tensors, 'wpe.weight': { shape: [3, 2], dtype: 'F16', bytes: Buffer.alloc(12) } }),
      422,
      'wpe.weight',
    ],
    [
      'an element type that no table has',
      tableFile({ 'wte.weight': { shape: [5, 2], dtype: 'F64', bytes: Buffer.alloc(80) } }),
      422,
      'wte.weight',
    ],
    ['unknown metadata', tableFile(tensors, { seed: '1' }), 400, '__metadata__.seed'],
    ['a wrong encoding', tableFile(tensors, { encoding: 'x' }), 400, '__metadata__.encoding'],
    [
      'a wrong scheme',
      tableFile(tensors, { position_embedding: '{"type":' }),
      400,
      '__metadata__.position_embedding.type',
    ],
    ['a file cut off', tableFile(tensors).subarray(0, -1), 400, null],
  ])('with %s is refused', async (_, file, status, param) => {
    const answer = await call('PUT', 'mine', file)
    expect([answer.statusCode, answer.json().error.param]).toEqual([status, param])
    expect(answer.json().error.code).toBe(status === 422 ? 'shape_mismatch' : 'invalid_request')
    expect((await call('GET', 'mine')).statusCode).toBe(404)
  })
})

describe('a model', () => {
  test('has the special tokens of its encoding that have a row, and pads with one', async () => {
    const whole = { ...BOOK, encoding: 'cl100k_base', vocab_size: 100_277, embedding_dim: 1 }
    const special = { '<|endoftext|>': 100_257, '<|fim_prefix|>': 100_258 }
    const { json } = await call('PUT', 'whole', whole)
    expect(json()).toMatchObject({ special_tokens: special, pad_token_id: 100_257 })
    const cut = await call('PUT', 'cut', { ...whole, vocab_size: 100_258 })
    expect(cut.json().special_tokens).toEqual({ '<|endoftext|>': 100_257 })
    expect(cut.json().pad_token_id).toBe(100_257)
    const short = await call('PUT', 'short', { ...whole, vocab_size: 100_257 })
    expect([short.json().special_tokens, short.json().pad_token_id]).toEqual([{}, null])
  })

  test('is unloaded and loaded again, and its versions count on', async () => {
    const gone = await call('POST', 'book/unload')
    expect([gone.statusCode, gone.json().state, gone.json().model_version]).toEqual([200, 'unloaded', null])
    expect(gone.json()).toEqual((await call('GET', 'book')).json())
    const back = await call('POST', 'book/load')
    expect([back.statusCode, back.json().state, back.json().model_version]).toEqual([200, 'ready', '2'])
  })

  test('whose uploaded tables were freed cannot be loaded again', async () => {
    await call(
      'PUT',
      'mine',
      tableFile({ 'wte.weight': { shape: [5, 2], numbers: numbers(10, 1) } }, { architecture: 'llama' }),
    )
    const gone = await call('POST', 'mine/unload')
    expect(gone.json()).toMatchObject({ state: 'unloaded', tables: { source: 'upload', sha256: null } })
    for (const [method, path] of [
      ['POST', 'mine/load'],
      ['GET', 'mine/tables'],
    ] as const) {
      const answer = await call(method, path)
      expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'model_failed'])
    }
  })

  test('is deleted, unless it belongs to the configuration', async () => {
    await call('PUT', 'mine', BOOK)
    const gone = await call('DELETE', 'mine')
    expect([gone.statusCode, gone.body]).toEqual([204, ''])
    expect((await call('GET', 'mine')).statusCode).toBe(404)
    const kept = await call('DELETE', 'book')
    expect([kept.statusCode, kept.json().error.code]).toEqual([409, 'model_in_use'])
  })

  test.each([
    ['POST', 'nope/load'],
    ['POST', 'nope/unload'],
    ['DELETE', 'nope'],
    ['GET', 'nope/tables'],
  ] as const)('that is not there: %s %s', async (method, path) => {
    const answer = await call(method, path)
    expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'model_not_found'])
  })

  test('is described by the schema, whatever its state', async () => {
    await call('PUT', 'mine', BOOK)
    await call('PUT', 'mine/tables', tableFile({ 'wte.weight': { shape: [6, 3], numbers: numbers(18, 1) } }))
    await call('POST', 'book/unload')
    const { data } = (await service.app.inject('/v1/models')).json()
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['default', 'book', 'mine'])
    for (const model of data) expect(() => modelAnswer.parse(model)).not.toThrow()
  })
})
