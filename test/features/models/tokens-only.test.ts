import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modelAnswer } from '../../../src/features/models/document.js'
import { CONFIG, ModelsFolder, rowsFile } from '../../checkpoints/folders.js'
import { post, type TestService, testService } from '../../helper.js'

/** A folder of an unknown family, and the ids of its texts and chats by transformers 5.24. */
const GOLDEN = new URL('../../goldens/tokenizer-only/', import.meta.url)
const file = (name: string) => readFileSync(new URL(name, GOLDEN), 'utf8')
const golden = JSON.parse(file('expected.json'))
const FILES = {
  'tokenizer.json': file('tokenizer.json'),
  'tokenizer_config.json': file('tokenizer_config.json'),
}
const config = JSON.parse(file('config.json'))

/** Folders, and what each lacks. */
const FOLDERS = {
  unknown: [{ 'config.json': config }, /config\.json: `model_type` "orion_v9" is not served/],
  alone: [{}, /config\.json: is missing/],
  weightless: [{ 'config.json': CONFIG }, /model\.safetensors: is missing\. The folder has no weights/],
  pickled: [
    { 'config.json': CONFIG, 'pytorch_model.bin': '' },
    /model\.safetensors: is missing\. pytorch_model\.bin is a pickle/,
  ],
  refused: [
    { 'config.json': { model_type: 'mobilebert' } },
    /`model_type` mobilebert is not served: its rows/,
  ],
  untyped: [{ 'config.json': { hidden_size: 4 } }, /config\.json: `model_type` is needed/],
} as const

let folder: ModelsFolder
let service: TestService
beforeAll(async () => {
  folder = await ModelsFolder.make()
  for (const [name, [files]] of Object.entries(FOLDERS)) await folder.write(name, { ...FILES, ...files })
  await folder.write('half', {
    ...FILES,
    ...{ 'config.json': CONFIG, 'model.safetensors': rowsFile({}, 'other.weight') },
  })
  await folder.write('card', { ...FILES, 'inlet.json': { embedding_dim: 4, vocab_size: 704 } })
  await folder.write('other-ids', { ...FILES, 'inlet.json': { embedding_dim: 4, encoding: 'gpt2' } })
  await folder.write('few-rows', { ...FILES, 'inlet.json': { embedding_dim: 4, vocab_size: 100 } })
  service = await testService({ ADMIN_KEY: 'admin' }, { folders: await folder.entries(), hasDatasets: true })
})
afterAll(async () => {
  await service.close()
  await folder.remove()
})

const describeModel = async (id: string) => {
  const { statusCode, body } = await service.app.inject(`/v1/models/${id}`)
  expect(statusCode).toBe(200)
  return JSON.parse(body)
}

describe.each(Object.entries(FOLDERS))('a folder without tables: %s', (model, [, why]) => {
  test('says so, and why', async () => {
    const answer = modelAnswer.parse(await describeModel(model))
    expect(answer).toMatchObject({ vocab_size: 700, tables: null, error: null })
    expect([answer.embedding_dim, answer.hidden_size, answer.dtype]).toEqual([null, null, null])
    expect(answer.tables_unavailable?.message).toMatch(why)
  })

  test('tokenizes and detokenizes as transformers', async () => {
    for (const { text, ids, ids_with_special: special } of golden.texts.filter(
      (each: { text: string }) => each.text,
    )) {
      const asked = { model, text }
      expect((await post(service, '/v1/tokenize', asked)).json().input_ids).toEqual(ids)
      const body = { ...asked, add_special_tokens: true, count_only: true }
      expect((await post(service, '/v1/tokenize', body)).json().num_tokens).toBe(special.length)
      expect((await post(service, '/v1/detokenize', { model, input_ids: ids })).json().text).toBe(text)
    }
  })

  test('renders chats as transformers', async () => {
    for (const { ids, text: _, ...chat } of golden.chats) {
      const answer = await post(service, '/v1/chat/completions/render', { model, ...chat })
      expect(answer.json().token_ids).toEqual(ids)
    }
  })

  test('gives windows of ids', async () => {
    const outputs = ['input_ids', 'target_ids', 'attention_mask', 'position_ids', 'window_starts']
    const asked = { model, input_ids: [1, 2, 3, 4, 5], context_length: 2, outputs }
    const answer = await post(service, '/v1/input-embeddings', asked)
    expect(answer.json().outputs).toMatchObject({
      input_ids: {
        data: [
          [1, 2],
          [3, 4],
        ],
      },
      target_ids: {
        data: [
          [2, 3],
          [4, 5],
        ],
      },
      position_ids: {
        data: [
          [0, 1],
          [0, 1],
        ],
      },
    })
  })

  test.each([
    ['POST', '/v1/input-embeddings', { model, text: 'a' }],
    ['POST', '/v1/input-embeddings', { model, text: 'a', outputs: ['input_ids', 'token_embeddings'] }],
    ['POST', '/v1/embeddings', { model, input: 'a' }],
    ['POST', '/v1/prompt-embeds', { model, text: 'a' }],
    ['POST', `/v1/models/${model}/neighbors`, { text: 'a' }],
    ['GET', `/v1/models/${model}/position-embeddings?context_length=2`, undefined],
    ['GET', `/v1/models/${model}/tables`, undefined],
    ['PUT', `/v1/models/${model}/tables`, Buffer.alloc(8)],
    [
      'POST',
      `/v2/models/${model}/infer`,
      { inputs: [{ name: 'text', shape: [1], datatype: 'BYTES', data: ['a'] }] },
    ],
  ] as const)('refuses rows: %s %s %j', async (method, url, payload) => {
    const headers = {
      authorization: 'Bearer admin',
      ...(Buffer.isBuffer(payload) && { 'content-type': 'application/vnd.safetensors' }),
    }
    const answer = await service.app.inject({ method, url, headers, ...(payload && { payload }) })
    const { error } = answer.json()
    expect([answer.statusCode, error.message ?? error]).toEqual([422, expect.stringMatching(why)])
    if (!url.startsWith('/v2')) expect(error.code).toBe('tables_unavailable')
  })

  test('takes a dataset, whose batches have ids and no rows', async () => {
    const upload = await service.app.inject({
      ...{ method: 'POST', url: `/v1/datasets?model=${model}`, payload: 'Hello, world! Hello, world!' },
      headers: { 'content-type': 'text/plain', authorization: 'Bearer admin' },
    })
    expect(upload.statusCode).toBeLessThan(202)
    const { id } = upload.json()
    const batches = `/v1/datasets/${id}/batches/0?context_length=4&batch_size=1`
    expect((await service.app.inject(`${batches}&model=${model}`)).statusCode).toBe(200)
    const rows = await service.app.inject(`${batches}&model=${model}&outputs=input_embeddings`)
    expect([rows.statusCode, rows.json().error.code]).toEqual([422, 'tables_unavailable'])
  })
})

test('a family that is served stays refused where its tensor is missing, tokenizer or not', async () => {
  expect((await describeModel('half')).error.message).toMatch(/asks for one of the tensors/)
})

describe('inlet.json beside tokenizer.json', () => {
  test('takes the folder’s ids and template', async () => {
    const [{ text, ids }] = golden.texts
    const tokenized = await post(service, '/v1/tokenize', { model: 'card', text })
    expect(tokenized.json().input_ids).toEqual(ids)
    const rows = await post(service, '/v1/input-embeddings', { model: 'card', text })
    expect(rows.json().outputs.input_embeddings.shape).toEqual([1, ids.length, 4])
    const { text: _, ids: chatIds, ...chat } = golden.chats[0]
    const rendered = await post(service, '/v1/chat/completions/render', { model: 'card', ...chat })
    expect(rendered.json().token_ids).toEqual(chatIds)
  })

  test('must not contradict it', async () => {
    expect((await describeModel('other-ids')).error.message).toBe(
      'other-ids/inlet.json: `encoding` must be left out beside tokenizer.json, which makes the ids. Given: "gpt2"',
    )
    expect((await describeModel('few-rows')).error.message).toBe(
      'few-rows/inlet.json: `vocab_size` must be at least 700, the tokens of tokenizer.json. Given: 100',
    )
  })
})
