import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeNpy, decodeRaw, MEDIA_TYPES } from '../../../decode.js'
import { embed, type TestService, testService } from '../../../helper.js'

let service: TestService
beforeAll(async () => {
  service = await testService({ VOCAB_SIZE: '64' })
})
afterAll(() => service.close())

const JSON_TYPE = 'application/json'

describe('the answer’s type', () => {
  test.each([
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    ['application/json', JSON_TYPE],
    ['application/x-npy', 'application/x-npy'],
    ['APPLICATION/X-NPY', 'application/x-npy'],
    ['text/html, application/x-npy;q=0.1', 'application/x-npy'],
    ['application/json;q=0.5, application/octet-stream', 'application/octet-stream'],
    ['application/json;q=0.1, application/vnd.safetensors;q=0.9', 'application/vnd.safetensors'],
    ['*/*;q=0.1, application/x-safetensors', 'application/x-safetensors'],
    ['application/json;q=0, */*', 'application/vnd.safetensors'],
    ['image/png, */*;q=0.1', JSON_TYPE],
    ['application/json; charset=utf-8', JSON_TYPE],
    ['application/json;charset=UTF8;q=0.5, application/x-npy;q=0.4', JSON_TYPE],
    ['application/x-npy;q=0.5, */*;q=0.5', 'application/x-npy'],
    ['application/*;q=0.2, application/x-npy;q=0.1', JSON_TYPE],
    ['  ', JSON_TYPE],
    ['text/*, application/octet-stream;', 'application/octet-stream'],
  ])('Accept %j gives %s', async (accept, type) => {
    const answer = await embed(service, { input_ids: [1, 2] }, accept === '' ? {} : { accept })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type])
  })
})

test.each(['application/json;charset=iso-8859-1', 'application/json;version=2', '*/*;q=0', 'text/html', ','])(
  'Accept %j is refused',
  async (accept) => {
    const answer = await embed(service, { input_ids: [1] }, { accept })
    expect([answer.status, answer.json().error.code]).toEqual([406, 'not_acceptable'])
    expect(answer.headers.vary).toBe('Accept')
  },
)

describe('caches', () => {
  test.each(['/', '/v1/models/default/position-embeddings?position_embedding=rope&context_length=2'])(
    'are told that %s depends on Accept, and on Origin where that is',
    async (url) => {
      const varies = async (each: TestService) =>
        (await each.app.inject({ url, headers: { accept: '*/*' } })).headers.vary
      expect(await varies(service)).toBe('Accept')
      const other = await testService({ VOCAB_SIZE: '64', CORS_ORIGINS: 'https://a.example' })
      expect(await varies(other)).toBe('Origin, Accept')
      await other.close()
    },
  )

  test('are told nothing where there is one type', async () => {
    expect((await service.app.inject({ url: '/v1/models' })).headers.vary).toBeUndefined()
  })
})

describe('a body is JSON', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
    'application/json; charset=utf8',
  ])('as %s', async (type) => {
    expect((await embed(service, { input_ids: [1] }, { 'content-type': type })).status).toBe(200)
  })
})

describe('without `outputs`', () => {
  const names = async (body: object) => Object.keys((await embed(service, body)).json().outputs)

  test('come the ids and the embeddings', async () => {
    expect(await names({ input_ids: [1, 2] })).toEqual(['input_ids', 'input_embeddings'])
    expect(await names({ input_ids: [[1, 2]] })).toEqual(['input_ids', 'input_embeddings'])
    expect(await names({ input_ids: [[1, 2], [3, 4, 5]], context_length: 1 })).toEqual(['input_ids', 'input_embeddings']) // biome-ignore format: short
  })

  test('comes the mask where the request can pad', async () => {
    const masked = ['input_ids', 'attention_mask', 'input_embeddings']
    expect(await names({ input_ids: [[1, 2], [3, 4]] })).toEqual(masked) // biome-ignore format: short
    expect(await names({ input_ids: [1, 2], context_length: 2, tail: 'pad' })).toEqual(masked)
  })

  test('come the tensors of a scheme that works in the attention', async () => {
    const rope = ['input_ids', 'input_embeddings', 'inv_freq', 'cos', 'sin']
    expect(await names({ input_ids: [1, 2], position_embedding: 'rope' })).toEqual(rope)
    expect(await names({ input_ids: [1, 2], position_embedding: 'none' })).toEqual([
      'input_ids',
      'input_embeddings',
    ])
  })

  test('comes one tensor in formats that carry one', async () => {
    const call = { input_ids: [1, 2], position_embedding: 'rope' }
    expect(decodeRaw(await embed(service, call, { accept: MEDIA_TYPES.raw })).name).toBe('input_embeddings')
    expect(decodeNpy((await embed(service, call, { accept: MEDIA_TYPES.npy })).body).shape).toEqual([1, 2, 8])
  })
})

test('binary answers carry the counts as headers', async () => {
  const call = {
    input_ids: [[1, 2, 3, 4, 5, 6], [7]],
    context_length: 2,
    batch_size: 2,
    batch_index: 0,
    drop_last: true,
  }
  for (const accept of [MEDIA_TYPES.npy, MEDIA_TYPES.raw, MEDIA_TYPES.safetensors, 'application/x-pytorch']) {
    expect((await embed(service, call, { accept })).headers).toMatchObject({
      'x-num-tokens': '7',
      'x-num-windows': '2',
      'x-num-dropped-tokens': '2',
      'x-num-batches': '1',
      'x-num-dropped-windows': '0',
    })
  }
  const { headers } = await embed(service, { input_ids: [1] }, { accept: MEDIA_TYPES.raw })
  expect(headers['x-num-batches']).toBeUndefined()
  expect(headers).toMatchObject({
    'x-tensor-name': 'input_embeddings',
    'x-tensor-dtype': 'float32',
    'x-tensor-shape': '1,1,8',
  })
})

describe('counts are totals of the request, before batching', () => {
  const counts = async (body: object) => {
    const { outputs, model, model_version, ...rest } = (
      await embed(service, { ...body, outputs: ['document_ids'] })
    ).json()
    return { ...rest, windows: outputs.document_ids.data.length }
  }
  const input_ids = Array.from({ length: 30 }, (_, i) => i)

  test('without batches there are none to count', async () => {
    expect(await counts({ input_ids, context_length: 4 })).toEqual({
      num_tokens: 30,
      num_windows: 7,
      num_dropped_tokens: 1,
      windows: 7,
    })
  })

  test('all batches in loader order', async () => {
    const call = { input_ids, context_length: 4, batch_size: 3 }
    const expected = { num_tokens: 30, num_windows: 7, num_dropped_tokens: 1 }
    expect(await counts(call)).toEqual({ ...expected, num_batches: 3, num_dropped_windows: 0, windows: 7 })
    expect(await counts({ ...call, drop_last: true })).toEqual({
      ...expected,
      num_batches: 2,
      num_dropped_windows: 1,
      windows: 6,
    })
    expect((await counts({ ...call, batch_index: 2 })).windows).toBe(1)
  })
})

describe('a field that has no effect is accepted', () => {
  test.each([
    { seed: 5 },
    { seed: '18446744073709551615' },
    { epoch: 3 },
    { pad_token_id: 60_000 },
    { pad_token_id: 60_000, context_length: 1, tail: 'drop' },
    { allowed_special: ['<|nope|>'] },
    { encoding_format: 'base64' },
    { drop_last: false, shuffle: false },
    { stride: 5, context_length: 1 },
    { batch_size: Number.MAX_SAFE_INTEGER },
  ])('%j', async (fields) => {
    const call = { input_ids: [1, 2], ...fields }
    expect((await embed(service, call, { accept: MEDIA_TYPES.raw })).status).toBe(200)
  })
})

describe('a model with a table smaller than its encoding', () => {
  test('serves ids below it', async () => {
    const { outputs } = (await embed(service, { text: 'A', outputs: ['input_ids'] })).json()
    expect(outputs.input_ids.data).toEqual([[32]])
  })

  test('refuses text that gives ids beyond it, and names the id', async () => {
    const answer = await embed(service, { text: ['!', '"# the'] })
    expect(answer.status).toBe(422)
    expect(answer.json().error).toMatchObject({ code: 'token_out_of_range', param: 'text.1' })
    expect(answer.json().error.message).toMatch(/64.*Token 2 is 262/)
  })

  test('needs a pad token where a window is padded, and only there', async () => {
    const equal = { input_ids: [[1, 2], [3, 4]] } // biome-ignore format: short
    const ragged = { input_ids: [[1, 2], [3]] } // biome-ignore format: short
    expect((await embed(service, equal)).status).toBe(200)
    expect((await embed(service, ragged)).json().error).toMatchObject({
      code: 'invalid_request',
      param: 'pad_token_id',
    })
    expect((await embed(service, { ...ragged, pad_token_id: 9 })).status).toBe(200)
  })
})

test('GET of a model describes it', async () => {
  const { data, object } = (await service.app.inject({ url: '/v1/models' })).json()
  expect(object).toBe('list')
  expect((await service.app.inject({ url: '/v1/models/default' })).json()).toEqual(data[0])
  expect(data).toEqual([
    {
      id: 'default',
      object: 'model',
      created: expect.any(Number),
      owned_by: 'inlet',
      state: 'ready',
      model_version: '1',
      model_type: 'seed',
      encoding: 'gpt2',
      tokenizer: { type: 'tiktoken', available: true },
      tokenizer_sha256: null,
      revision: null,
      special_tokens: {}, // its id has no row
      pad_token_id: null,
      vocab_size: 64,
      embedding_dim: 8,
      hidden_size: 8,
      max_position_embeddings: 1024,
      architecture: 'gpt2',
      position_embedding: 'learned_absolute',
      dtype: 'float32',
      table_bytes: (64 + 1024) * 8 * 4,
      disk_table_bytes: 0,
      hidden_streams: 1,
      memory: null,
      learning: null,
      pooling: null,
      tables: { source: 'seed', seed: 123, init_std: 1 },
      error: null,
      backend: service.models.backend?.name,
      backend_version: service.models.backend?.version,
      backend_reason: service.models.backend?.reason,
      limits: {
        max_body_bytes: 67_108_864,
        max_json_body_bytes: 2_097_152,
        max_json_response_bytes: 268_435_456,
        max_response_bytes: 8_589_934_592,
        max_documents: 65_536,
      },
    },
  ])
})
