import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embeddingsAnswer } from '../../../src/features/embeddings/document.js'
import { modelAnswer } from '../../../src/features/models/document.js'
import type { ModelCard } from '../../../src/first-layer/cards/model-card.js'
import { folderEntries } from '../../../src/models/folders.js'
import { post, type TestService, testService } from '../../helper.js'
import { countedTokens } from '../../service/http/counted-tokens.js'
import { readTables, tableFile } from '../../table-files.js'

const ADMIN_KEY = 'a-key-for-these-tests-alone'

let service: TestService
beforeAll(async () => {
  const folder = fileURLToPath(new URL('../../goldens/static/', import.meta.url))
  const folders = await folderEntries({ MODELS_DIR: folder, MODELS: undefined }, () => {})
  const takingIds = folders.map((entry) => ({ ...entry, card: withIds(entry.card) }))
  service = await testService({ MAX_JSON_RESPONSE_BYTES: '400000', ADMIN_KEY }, { folders: takingIds })
})
afterAll(() => service.close())

/** Every model but one takes ids. */
const TEXTS_ALONE = 'unigram'

function withIds(card: ModelCard): ModelCard {
  if (card.id === TEXTS_ALONE || card.pooling === undefined) return card
  return { ...card, pooling: { ...card.pooling, acceptIds: true } }
}

/** Asks, with a right answer. */
async function embed(body: object): Promise<{ vectors: number[][]; tokens: number }> {
  const answer = await post(service, '/v1/embeddings', body)
  expect(answer.status, answer.body.toString()).toBe(200)
  const { data, usage } = embeddingsAnswer.parse(answer.json())
  expect(data.map(({ index }) => index)).toEqual(data.map((_, i) => i))
  return { vectors: data.map(({ embedding }) => embedding as number[]), tokens: usage.prompt_tokens }
}

async function refused(body: object | string): Promise<[number, string, string | null, string]> {
  const answer = await post(service, '/v1/embeddings', body)
  const { code, param, message } = answer.json().error
  return [answer.status, code, param, message]
}

async function idsOf(model: string, text: string): Promise<number[]> {
  return (await post(service, '/v1/tokenize', { model, text })).json().input_ids
}

describe('POST /v1/embeddings', () => {
  test('counts the tokens that are averaged', async () => {
    const { all, ofModel } = await countedTokens(service, 'float32')
    const { tokens } = await embed({ model: 'float32', input: ['the cat', 'the'] })
    expect(tokens).toBeGreaterThan(2)
    expect(await countedTokens(service, 'float32')).toEqual({ all: all + tokens, ofModel: ofModel + tokens })
  })

  test('answers as OpenAI’s, with X-Model-Version', async () => {
    const answer = await post(service, '/v1/embeddings', { model: 'float16', input: 'the cat', user: 'me' })
    expect(answer.status).toBe(200)
    expect(answer.json()).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: expect.any(Array) }],
      model: 'float16',
      model_version: '1',
      usage: { prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    })
    expect(answer.headers['x-model-version']).toBe('1')
    expect(answer.json().data[0].embedding).toHaveLength(13)
  })

  test('base64 has the same numbers', async () => {
    const input = ['the cat', 'dog', 'a kitten ran']
    const { vectors } = await embed({ model: 'wide', input })
    const answer = await post(service, '/v1/embeddings', { model: 'wide', input, encoding_format: 'base64' })
    expect(Number(answer.headers['content-length'])).toBe(answer.body.length)
    const decoded = answer.json().data.map(({ embedding }: { embedding: string }) => {
      const bytes = Buffer.from(embedding, 'base64')
      return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i))
    })
    expect(decoded).toEqual(vectors.map((vector) => vector.map(Math.fround)))
  })

  test('ids give what their text gives, one list or several', async () => {
    const texts = ['the cat sat', 'naïve café']
    const lists = await Promise.all(texts.map((text) => idsOf('float32', text)))
    const wanted = await embed({ model: 'float32', input: texts })
    expect(await embed({ model: 'float32', input: lists })).toEqual(wanted)
    const one = await embed({ model: 'float32', input: lists[0] })
    expect(one.vectors).toEqual([wanted.vectors[0]])
  })

  test('a body of any length gives the same', async () => {
    const texts = Array.from({ length: 120 }, (_, i) => `the cat ran ${i} ${'over the hill '.repeat(i % 9)}`)
    const models = ['short', 'st-subfolder', 'int8']
    for (const model of models) {
      const few = await Promise.all(texts.map(async (input) => (await embed({ model, input })).vectors[0]))
      const padded = [...texts, 'a'.repeat(100_000), `the é😀 ${'cat '.repeat(30_000)}`]
      const { vectors } = await embed({ model, input: padded })
      expect(vectors.slice(0, texts.length)).toEqual(few)
    }
  })

  test('a long text is cut as a short one', async () => {
    // 4 tokens at most: the code points behind the first few change nothing, however the body is read.
    const start = `é😀${'cat dog '.repeat(40)}`
    const [{ vectors: short }, { vectors: long }, { vectors: list }] = await Promise.all([
      embed({ model: 'short', input: start }),
      embed({ model: 'short', input: start + 'x'.repeat(200_000) }),
      embed({ model: 'short', input: [start + 'x'.repeat(200_000)] }),
    ])
    expect([long, list]).toEqual([short, short])
    expect((await embed({ model: 'short', input: start })).tokens).toBe(4)
    const behindPrompt = (input: string) => embed({ model: 'st-subfolder', input })
    expect(await behindPrompt(start + 'x'.repeat(200_000))).toEqual(await behindPrompt(start))
  })

  test('dimensions gives the first numbers, of length 1 where the model normalizes', async () => {
    const input = 'the cat sat on the mat'
    const [whole, part] = [
      await embed({ model: 'wide', input }),
      await embed({ model: 'wide', input, dimensions: 7 }),
    ]
    const first = whole.vectors[0].slice(0, 7)
    for (const [c, x] of part.vectors[0].entries()) expect(x).toBeCloseTo(first[c] / Math.hypot(...first), 6)
    const raw = await embed({ model: 'float32', input })
    const cut = await embed({ model: 'float32', input, dimensions: 2 })
    expect(cut.vectors[0]).toEqual(raw.vectors[0].slice(0, 2))
  })

  test('a member that is null is as an absent one', async () => {
    const body = { model: 'wide', input: 'the cat' }
    const optional = ['dimensions', 'encoding_format', 'output_dtype', 'ranges', 'user']
    const nulls = Object.fromEntries(optional.map((name) => [name, null]))
    expect(await embed({ ...body, ...nulls })).toEqual(await embed(body))
    expect((await refused({ model: null, input: 'a' }))[1]).toBe((await refused({ input: 'a' }))[1])
    expect(await refused({ model: 'wide', input: null })).toEqual(await refused({ model: 'wide' }))
  })

  test('a text of which nothing is left has zeros, and its tokens are counted', async () => {
    const { vectors, tokens } = await embed({ model: 'float16', input: '🤖 🤖' })
    expect(vectors).toEqual([new Array(13).fill(0)])
    expect(tokens).toBe(2)
  })
})

describe('refuses', () => {
  test.each([
    [
      'a model that is not static',
      { input: 'cat' },
      422,
      'unsupported_combination',
      'model',
      /default.*seed/,
    ],
    ['a model that is not there', { model: 'x', input: 'cat' }, 404, 'model_not_found', 'model', /x/],
    ['no input', { model: 'wide' }, 400, 'invalid_request', 'input', /is needed/],
    [
      'an object',
      { model: 'wide', input: {} },
      400,
      'invalid_request',
      'input',
      /a string or an array.*object/,
    ],
    ['a number', { model: 'wide', input: 5 }, 400, 'invalid_request', 'input', /a string or an array.*5/],
    ['an empty text', { model: 'wide', input: '' }, 400, 'empty_input', 'input', /empty/],
    ['an empty list', { model: 'wide', input: [] }, 400, 'empty_input', 'input', /empty/],
    ['an empty text in a list', { model: 'wide', input: ['a', ''] }, 400, 'empty_input', 'input.1', /empty/],
    [
      'a text beside ids',
      { model: 'wide', input: [1, 'a'] },
      400,
      'invalid_request',
      'input.1',
      /integer.*"a"/,
    ],
    [
      'an id beside texts',
      { model: 'wide', input: ['a', 1] },
      400,
      'invalid_request',
      'input.1',
      /string.*1/,
    ],
    [
      'an id without a row',
      { model: 'wide', input: [[1], [2, 300]] },
      422,
      'token_out_of_range',
      'input.1.1',
      /300/,
    ],
    [
      'too many dimensions',
      { model: 'wide', input: 'a', dimensions: 301 },
      400,
      'invalid_request',
      'dimensions',
      /at most 300.*301/,
    ],
    [
      'no dimensions',
      { model: 'wide', input: 'a', dimensions: 0 },
      400,
      'invalid_request',
      'dimensions',
      /at least 1/,
    ],
    [
      'another format',
      { model: 'wide', input: 'a', encoding_format: 'hex' },
      400,
      'invalid_request',
      'encoding_format',
      /hex/,
    ],
    [
      'ids, where the tokenizer is the model’s own',
      { model: 'unigram', input: [[1, 2]] },
      422,
      'unsupported_combination',
      'input',
      /unigram.*check_embedding_ctx_length=False.*inlet_static\.json.*Given: ids/,
    ],
    [
      'an unknown field',
      { model: 'wide', input: 'a', text: 'a' },
      400,
      'invalid_request',
      'text',
      /not a field/,
    ],
  ] as const)('%s', async (_, body, status, code, param, says) => {
    expect(await refused(body)).toEqual([status, code, param, expect.stringMatching(says)])
  })

  test.each([
    ['texts', 'a'],
    ['long texts', 'cat '.repeat(40)],
    ['lists of ids', [1]],
    ['long lists of ids', Array.from({ length: 40 }, (_, i) => i)],
  ])('more than 2048 %s', async (_, one) => {
    const body = { model: 'wide', input: new Array(2049).fill(one) }
    expect(await refused(body)).toEqual([
      400,
      'invalid_request',
      'input',
      expect.stringMatching(/2048.*2049/),
    ])
  })

  test('an answer beyond the limit, before any work', async () => {
    const body = { model: 'wide', input: new Array(200).fill('cat') }
    expect(await refused(body)).toEqual([413, 'response_too_large', null, expect.stringMatching(/400000/)])
    const ids = { model: 'wide', input: new Array(200).fill([300]) } // no such row: it has not been searched yet
    expect((await refused(ids)).slice(0, 2)).toEqual([413, 'response_too_large'])
    expect((await embed({ ...body, dimensions: 100 })).vectors).toHaveLength(200)
  })
})

describe('a static model', () => {
  test.each([
    ['float32', { flavour: 'model2vec', normalize: false, max_length: 512, drops_unknown: true }],
    ['unbounded', { flavour: 'model2vec', normalize: false, max_length: null, drops_unknown: false }],
    ['st', { flavour: 'sentence_transformers', normalize: true, max_length: null, drops_unknown: false }],
    [
      'st-subfolder',
      { flavour: 'sentence_transformers', normalize: false, max_length: 6, drops_unknown: false },
    ],
    [
      'unigram',
      {
        ...{ flavour: 'model2vec', normalize: false, max_length: 512, drops_unknown: true },
        accept_ids: false,
      },
    ],
  ])('%s says how it pools', async (id, pooling) => {
    const answer = modelAnswer.parse((await service.app.inject(`/v1/models/${id}`)).json())
    const dimensions = answer.embedding_dim
    expect(answer.pooling).toEqual({ ...{ type: 'mean', accept_ids: true, dimensions }, ...pooling })
  })

  test('any other model does not pool', async () => {
    expect((await service.app.inject('/v1/models/default')).json().pooling).toBeNull()
  })

  test('its weights cannot be read back or exchanged', async () => {
    const url = '/v1/models/mapped/tables'
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const before = await embed({ model: 'mapped', input: 'the cat sat' })
    const file = await service.app.inject({ url, headers })
    expect(Object.keys(readTables(file.rawPayload))).toEqual(['wte.weight'])
    const put = async (tables: Parameters<typeof tableFile>[0]) => {
      const type = { 'content-type': 'application/vnd.safetensors' }
      const payload = tableFile(tables)
      return service.app.inject({ method: 'PUT', url, payload, headers: { ...headers, ...type } })
    }
    const own = readTables(file.rawPayload)
    expect((await put(own)).json()).toEqual({ model: 'mapped', model_version: '2' })
    const [V] = own['wte.weight'].shape
    const weights = await put({ 'pooling.weight': { shape: [V, 2], numbers: new Array(2 * V).fill(0) } })
    expect(weights.json().error.code).toBe('shape_mismatch')
    expect((await embed({ model: 'mapped', input: 'the cat sat' })).vectors).toEqual(before.vectors)
  })
})
