import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { npyHeader } from '../../src/first-layer/tensors/npy.js'
import { folderEntries } from '../../src/models/sources/folders.js'
import { post, type TestService, testService } from '../helper.js'
import { readTorchFile } from '../torch-file.js'
import { floats, readTables, tableFile } from './models/table-files.js'

const GOLDENS = new URL('../goldens/', import.meta.url)
const SAFETENSORS = 'application/vnd.safetensors'
const ADMIN = { authorization: 'Bearer admin-s3cret' }

interface Golden {
  readonly model: string
  readonly file: string
  readonly rows: number
  readonly input_ids: number[]
  readonly dtype: string
  readonly shape: number[]
  readonly inputs_embeds: string
}
const { cases } = JSON.parse(readFileSync(new URL('soft-prompts/expected.json', GOLDENS), 'utf8')) as {
  cases: Golden[]
}
const adapter = (file: string) => readFileSync(new URL(`soft-prompts/${file}`, GOLDENS))

let service: TestService
beforeAll(async () => {
  const MODELS_DIR = new URL('models/', GOLDENS).pathname
  const folders = await folderEntries({ MODELS_DIR, MODELS: undefined }, () => {})
  const env = { ADMIN_KEY: 'admin-s3cret', API_KEYS: 'reader:reader-key', MAX_TABLE_BYTES: '50000000' }
  service = await testService(env, { folders })
})
afterAll(() => service.close())

async function put(path: string, payload: Buffer, headers: Record<string, string> = {}) {
  const all = { ...ADMIN, 'content-type': SAFETENSORS, ...headers }
  return service.app.inject({ method: 'PUT', url: `/v1/models/${path}`, headers: all, payload })
}
const get = (path: string, headers: Record<string, string> = {}) =>
  service.app.inject({
    url: `/v1/models/${path}`,
    headers: { authorization: 'Bearer reader-key', ...headers },
  })
const remove = (path: string, headers: Record<string, string> = ADMIN) =>
  service.app.inject({ method: 'DELETE', url: `/v1/models/${path}`, headers })
const embeds = (body: object) => post(service, '/v1/prompt-embeds', body, ADMIN)

const filesOf = (answer: { json(): { prompt_embeds: string[] } }) =>
  answer.json().prompt_embeds.map((file) => readTorchFile(Buffer.from(file, 'base64')))
const rowsFile = (rows: number, width: number, number = 1) =>
  tableFile({ prompt_embeddings: { shape: [rows, width], numbers: new Array(rows * width).fill(number) } })

describe.each(cases)(
  '$file of PEFT before $model',
  ({ model, file, rows, input_ids, dtype, shape, inputs_embeds }) => {
    test('gives the rows that PEFT’s generate gives, to the bit', async () => {
      const answered = await put(`${model}/prompts/${file}`, adapter(file))
      expect([answered.statusCode, answered.json().shape]).toEqual([201, [rows, shape[1]]])
      for (const target of ['transformers', 'vllm']) {
        const answer = await embeds({ model, input_ids, prompt: file, target })
        expect(answer.status, answer.body.toString('utf8', 0, 300)).toBe(200)
        expect(answer.headers['content-length']).toBe(String(answer.body.length))
        const { prompt_embeds: _, ...facts } = answer.json()
        expect(facts).toEqual({
          ...{ model, model_version: '1', soft_prompt_tokens: rows },
          ...{ num_tokens: [shape[0]], shape: [shape] },
        })
        const [tensor] = filesOf(answer)
        const storage = { float32: 'Float', float16: 'Half', bfloat16: 'BFloat16' }[dtype]
        expect([tensor!.storage, tensor!.shape]).toEqual([`torch.${storage}Storage`, shape])
        expect(tensor!.bytes.toString('base64') === inputs_embeds).toBe(true)
      }
    })

    test('is read again as it came', async () => {
      const answer = await get(`${model}/prompts/${file}`, { accept: SAFETENSORS })
      const [own, given] = [answer.rawPayload, adapter(file)]
      const data = (bytes: Buffer) => bytes.subarray(8 + Number(bytes.readBigUInt64LE(0)))
      expect(data(own).equals(data(given))).toBe(true)
      expect((await put(`${model}/prompts/${file}`, own)).statusCode).toBe(200)
    })
  },
)

test('texts have them before each, and numbers for SGLang too', async () => {
  await put('llama/prompts/ones', rowsFile(2, 32))
  const input_ids = [[1, 2], [3]]
  const [plain, soft] = await Promise.all([
    embeds({ model: 'llama', input_ids, target: 'sglang' }),
    embeds({ model: 'llama', input_ids, target: 'sglang', prompt: 'ones' }),
  ])
  const ones = [0, 1].map(() => new Array(32).fill(1))
  expect(soft.json().num_tokens).toEqual([4, 3])
  expect(soft.json().input_embeds).toEqual(
    (plain.json().input_embeds as number[][][]).map((rows) => [...ones, ...rows]),
  )
  expect(plain.json().soft_prompt_tokens).toBeUndefined()
})

test('rows are rounded once, to the type that is asked for', async () => {
  const numbers = Array.from({ length: 32 }, (_, i) => Math.fround(1 + i / 3 + 2 ** -20))
  await put('llama-bf16/prompts/fine', tableFile({ prompt_embeddings: { shape: [1, 32], numbers } }))
  const body = { model: 'llama-bf16', input_ids: [1], prompt: 'fine' }
  const [wide] = filesOf(await embeds({ ...body, dtype: 'float32' }))
  expect(wide!.bytes.subarray(0, 128).equals(floats(numbers))).toBe(true)
})

test('a .npy is the same rows as a safetensors file', async () => {
  const numbers = Array.from({ length: 64 }, (_, i) => i / 7)
  const file = Buffer.concat([npyHeader('float32', [2, 32]), floats(numbers)])
  const npy = { 'content-type': 'application/x-npy' }
  expect((await put('llama/prompts/array', file, npy)).statusCode).toBe(201)
  expect(
    (await put('llama/prompts/array', tableFile({ prompt_embeddings: { shape: [2, 32], numbers } })))
      .statusCode,
  ).toBe(200)
  const answer = await get('llama/prompts/array', { accept: 'application/x-npy' })
  expect(answer.rawPayload.equals(file)).toBe(true)
  expect(answer.headers['content-length']).toBe(String(file.length))
  await put(
    'llama/prompts/brain',
    tableFile({ prompt_embeddings: { shape: [1, 32], dtype: 'BF16', bytes: Buffer.alloc(64) } }),
  )
  expect((await get('llama/prompts/brain', { accept: 'application/x-npy' })).json().error.code).toBe(
    'not_acceptable',
  )
})

describe('the objects', () => {
  test('are listed by name, and say what they are', async () => {
    for (const [name, rows] of [
      ['b', 3],
      ['a', 1],
    ] as const)
      await put(`gpt2/prompts/x-${name}`, rowsFile(rows, 32))
    const { object, data } = (await get('gpt2/prompts')).json()
    const own = (data as { name: string }[]).filter(({ name }) => name.startsWith('x-'))
    expect([object, own.map(({ name }) => name)]).toEqual(['list', ['x-a', 'x-b']])
    const one = (await get('gpt2/prompts/x-b')).json()
    expect(one).toEqual(own[1])
    expect(one).toEqual({
      ...{ name: 'x-b', object: 'prompt', model: 'gpt2', created: expect.any(Number), num_tokens: 3 },
      ...{ shape: [3, 32], dtype: 'float32', bytes: 384, stored: 'memory' },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('change with other rows, stay with the same, and go', async () => {
    const path = 'gpt2/prompts/change'
    expect((await put(path, rowsFile(2, 32))).statusCode).toBe(201)
    const first = (await get(path)).json()
    expect((await put(path, rowsFile(2, 32))).statusCode).toBe(200)
    expect((await get(path)).json()).toEqual(first)
    expect((await put(path, rowsFile(2, 32, 5))).statusCode).toBe(201)
    expect((await get(path)).json().sha256).not.toBe(first.sha256)
    const removed = await remove(path)
    expect([removed.statusCode, removed.body]).toEqual([204, ''])
    for (const gone of [await get(path), await remove(path)]) {
      expect([gone.statusCode, gone.json().error.code]).toEqual([404, 'prompt_not_found'])
    }
    const used = await embeds({ model: 'gpt2', input_ids: [1], prompt: 'change' })
    expect([used.status, used.json().error]).toEqual([
      404,
      expect.objectContaining({ code: 'prompt_not_found', param: 'prompt', type: 'not_found_error' }),
    ])
  })

  test('of a model go with it, and stay when its tables are exchanged or unloaded', async () => {
    const table = (number: number) =>
      tableFile({
        'wte.weight': { shape: [4, 3], numbers: new Array(12).fill(number) },
        'wpe.weight': { shape: [1, 3], numbers: [1, 2, 3] },
      })
    expect((await put('mine', table(1))).statusCode).toBe(201)
    expect((await put('mine/prompts/kept', rowsFile(1, 3))).statusCode).toBe(201)
    expect((await put('mine/tables', table(2))).statusCode).toBe(200)
    expect((await get('mine/prompts/kept')).json().num_tokens).toBe(1)
    await service.app.inject({ method: 'POST', url: '/v1/models/mine/unload', headers: ADMIN })
    expect((await get('mine/prompts')).json().data).toHaveLength(1)
    await remove('mine')
    expect((await get('mine/prompts/kept')).json().error.code).toBe('model_not_found')
    expect((await put('mine', table(1))).statusCode).toBe(201)
    expect((await get('mine/prompts')).json().data).toEqual([])
    await remove('mine')
  })

  test('are changed with the admin key alone', async () => {
    const reader = { authorization: 'Bearer reader-key' }
    for (const answer of [
      await put('gpt2/prompts/no', rowsFile(1, 32), reader),
      await remove('gpt2/prompts/no', reader),
    ]) {
      expect([answer.statusCode, answer.json().error.code]).toEqual([403, 'forbidden'])
    }
  })
})

describe('an upload is refused', () => {
  test.each([
    ['to a model that is not there', 'none/prompts/a', rowsFile(1, 32), {}, 404, 'model_not_found'],
    ['under a name with a blank', 'gpt2/prompts/a%20b', rowsFile(1, 32), {}, 400, 'invalid_request'],
    ['under a name that begins with a dot', 'gpt2/prompts/.a', rowsFile(1, 32), {}, 400, 'invalid_request'],
    [
      'under a name of 129 letters',
      `gpt2/prompts/${'a'.repeat(129)}`,
      rowsFile(1, 32),
      {},
      400,
      'invalid_request',
    ],
    [
      'for another base model',
      'gpt2/prompts/a?base_model=org/llama',
      rowsFile(1, 32),
      {},
      422,
      'unsupported_combination',
    ],
    ['with another field', 'gpt2/prompts/a?base=gpt2', rowsFile(1, 32), {}, 400, 'invalid_request'],
    ['of another width', 'gpt2/prompts/a', rowsFile(1, 33), {}, 422, 'shape_mismatch'],
    ['of prefix tuning', 'gpt2/prompts/a', rowsFile(2, 32 * 4), {}, 422, 'unsupported_combination'],
    ['with NaN', 'gpt2/prompts/a', rowsFile(2, 32, Number.NaN), {}, 422, 'not_finite'],
    [
      'as JSON',
      'gpt2/prompts/a',
      Buffer.from('{}'),
      { 'content-type': 'application/json' },
      415,
      'unsupported_media_type',
    ],
  ])('%s', async (_, path, file, headers, status, code) => {
    const answer = await put(path, file, headers)
    expect([answer.statusCode, answer.json().error?.code]).toEqual([status, code])
  })

  test('not where the base model’s path ends in the model’s name', async () => {
    for (const name of ['gpt2', 'openai-community/gpt2', './models/gpt2/']) {
      const answer = await put(`gpt2/prompts/base?base_model=${encodeURIComponent(name)}`, rowsFile(1, 32))
      expect(answer.statusCode, name).toBeLessThan(300)
    }
  })
})

test.each([
  [{ model: 'gemma-bf16', target: 'sglang' }, 32],
  [{ model: 't5', target: 'transformers' }, 32],
])('%j cannot have rows before those of a text', async (body, width) => {
  await put(`${body.model}/prompts/p`, rowsFile(1, width))
  const answer = await embeds({ ...body, input_ids: [1], prompt: 'p' })
  expect([answer.status, answer.json().error.code, answer.json().error.param]).toEqual([
    422,
    'unsupported_combination',
    'prompt',
  ])
})

test('rows count among all tables: the least recently used models make room, then it is 507', async () => {
  const before = (await get('gpt2')).json().state
  expect(before).toBe('ready')
  let refused: { statusCode: number; code: string } | undefined
  for (let i = 0; refused === undefined && i < 200; i++) {
    const answer = await put(`gpt2/prompts/fill-${i}`, rowsFile(4096, 32, i + 1))
    if (answer.statusCode !== 201) refused = { statusCode: answer.statusCode, code: answer.json().error.code }
  }
  expect(refused).toEqual({ statusCode: 507, code: 'insufficient_memory' })
  const { data } = (await get('gpt2/prompts')).json()
  const bytes = (data as { bytes: number }[]).reduce((sum, each) => sum + each.bytes, 0)
  expect(bytes).toBeGreaterThan(45_000_000)
  expect(bytes).toBeLessThanOrEqual(50_000_000)
  for (const { name } of data) await remove(`gpt2/prompts/${name}`)
  expect((await put('gpt2/prompts/fits', rowsFile(4096, 32))).statusCode).toBe(201)
})

test('a file’s table of rows is a tensor that others read', async () => {
  await put('gpt2/prompts/read', rowsFile(2, 32, 3))
  const answer = await get('gpt2/prompts/read', { accept: SAFETENSORS })
  expect(answer.headers['content-type']).toBe(SAFETENSORS)
  expect(readTables(answer.rawPayload)).toEqual({
    prompt_embeddings: { shape: [2, 32], numbers: new Array(64).fill(3) },
  })
})
