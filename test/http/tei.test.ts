import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderEntries } from '../../src/models/sources/folders.js'
import { embeddingsAnswer } from '../../src/wire/schemas/answers.js'
import {
  teiDecodeAnswer,
  teiEmbedAnswer,
  teiError,
  teiInfoAnswer,
  teiOpenAiError,
  teiTokenizeAnswer,
} from '../../src/wire/schemas/tei.js'
import { post, type TestService, testService } from '../helper.js'

let service: TestService
beforeAll(async () => {
  const folder = fileURLToPath(new URL('../goldens/static/', import.meta.url))
  const folders = await folderEntries({ MODELS_DIR: folder, MODELS: undefined }, () => {})
  const slashed = folders.find(({ card }) => card.id === 'wide')!
  const org = { ...slashed, card: { ...slashed.card, id: 'org/wide' } }
  service = await testService({ MAX_JSON_RESPONSE_BYTES: '100000' }, { folders: [...folders, org] })
})
afterAll(() => service.close())

const inputs = ['the cat sat', 'naïve café', 'dog']

async function embed(model: string, body: object, end = '/embed') {
  const answer = await post(service, `/tei/${model}${end}`, body)
  expect(answer.status, answer.body.toString()).toBe(200)
  return teiEmbedAnswer.parse(answer.json())
}

async function openAi(body: object) {
  const answer = await post(service, '/v1/embeddings', body)
  return embeddingsAnswer.parse(answer.json()).data.map(({ embedding }) => embedding as number[])
}

const lengthOf = (vector: number[]) => Math.hypot(...vector)

describe('/tei/{model}/embed', () => {
  test('gives the embeddings of /v1/embeddings, at the base URL too', async () => {
    const wanted = await openAi({ model: 'wide', input: inputs })
    expect(await embed('wide', { inputs })).toEqual(wanted)
    expect(await embed('wide', { inputs }, '')).toEqual(wanted)
    expect(await embed('org/wide', { inputs })).toEqual(wanted)
    expect(await embed('org%2Fwide', { inputs })).toEqual(wanted)
    expect(await embed('wide', { inputs: inputs[0] })).toEqual(wanted.slice(0, 1))
    const nulls = { truncate: null, prompt_name: null, dimensions: null }
    expect(await embed('wide', { inputs, ...nulls })).toEqual(wanted)
  })

  test('normalizes unless told, whatever the model does', async () => {
    const means = await openAi({ model: 'float32', input: inputs })
    expect(await embed('float32', { inputs, normalize: false })).toEqual(means)
    for (const vector of await embed('float32', { inputs })) expect(lengthOf(vector)).toBeCloseTo(1, 5)
    const [raw] = await embed('wide', { inputs, normalize: false })
    expect(lengthOf(raw)).not.toBeCloseTo(1, 1)
    const [short] = await embed('float32', { inputs, dimensions: 5 })
    expect([short.length, lengthOf(short)]).toEqual([5, expect.closeTo(1, 5)])
  })

  test('cuts from the right or the left, or refuses', async () => {
    const long = `the cat sat on the mat ${'and a dog ran over the hill '.repeat(9)}`
    const cut = (text: string, rest: object) => embed('short', { inputs: text, ...rest })
    expect(await cut(long, {})).toEqual(await cut('the cat sat on the mat', { truncate: true }))
    const left = { truncation_direction: 'left' }
    expect(await cut(long, left)).toEqual(await cut(long.slice(-40), { truncation_direction: 'Left' }))
    expect(await cut(long, left)).not.toEqual(await cut(long, {}))
    const refused = await post(service, '/tei/short/embed', { inputs: ['cat', long], truncate: false })
    expect([refused.status, refused.json()]).toEqual([
      422,
      {
        error: expect.stringMatching(/`inputs\.1` must have at most 4 tokens.*Given/),
        error_type: 'Validation',
      },
    ])
  })

  test('puts the prompt in front that is named, or the model’s own', async () => {
    const own = await embed('st-subfolder', { inputs })
    expect(await embed('st-subfolder', { inputs, prompt_name: 'query' })).toEqual(own)
    const { prompts } = service.models.card('st-subfolder').pooling!
    expect(prompts).toMatchObject({ query: 'query: ' })
    const other = await post(service, '/tei/st-subfolder/embed', { inputs, prompt_name: 'passage' })
    expect(other.json().error).toMatch(/`prompt_name` must be one of .*"query".*Given: "passage"/)
  })

  test.each([
    ['wide/embed', { inputs: [] }, 400, 'Empty', /empty/],
    ['wide/embed', { inputs: ['a', ''] }, 400, 'Empty', /`inputs\.1`/],
    ['wide/embed', { inputs: [['a', 'b']] }, 400, 'Validation', /`inputs\.0\.0`.*integer.*"a"/],
    ['wide/embed', { inputs: [[1, 2]] }, 422, 'Backend', /`inputs` must be text.*Given: ids/],
    ['wide/embed', { inputs: 'a', dimensions: 301 }, 400, 'Validation', /`dimensions` must be at most 300/],
    ['wide/embed', { inputs: 'a', prompt_name: 'query' }, 400, 'Validation', /the model has no prompts/],
    ['wide/embed', { inputs: 'a', truncation_direction: 'up' }, 400, 'Validation', /"up"/],
    ['wide/embed', { inputs: new Array(60).fill('a') }, 413, 'Validation', /100000/],
    ['default/embed', { inputs: 'a' }, 422, 'Backend', /`model` must be a static model/],
    ['nowhere/embed', { inputs: 'a' }, 404, 'Validation', /nowhere/],
    ['wide/embed_sparse', { inputs: 'a' }, 422, 'Backend', /sparse.*wide/],
    ['wide/rerank', { query: 'a', texts: ['b'] }, 404, 'Validation', /wide\/rerank/],
    ['wide/tokenize', { inputs: [1] }, 400, 'Validation', /`inputs\.0`.*string/],
    ['wide/decode', { ids: [[1], [9999]] }, 422, 'Tokenizer', /`ids\.1\.0`.*9999/],
  ] as const)('POST %s %j is refused in its own form', async (path, body, status, error_type, says) => {
    const answer = await post(service, `/tei/${path}`, body)
    expect([answer.status, teiError.parse(answer.json())]).toEqual([
      status,
      { error: expect.stringMatching(says), error_type },
    ])
  })
})

test('/tei/{model}/v1/embeddings is OpenAI’s, normalized', async () => {
  const asked = { input: inputs, model: 'any', user: null, dimensions: null }
  const answer = await post(service, '/tei/float32/v1/embeddings', asked)
  const { data, model } = embeddingsAnswer.parse(answer.json())
  expect(model).toBe('float32')
  expect(data.map(({ embedding }) => embedding)).toEqual(await embed('float32', { inputs }))
  const refused = await post(service, '/tei/float32/v1/embeddings', { input: '' })
  expect(teiOpenAiError.parse(refused.json())).toMatchObject({ code: 400, type: 'Empty' })
})

describe('/tei/{model}/tokenize and /decode', () => {
  test.each(['wide', 'float32', 'unigram', 'st-subfolder'])(
    '%s: places are bytes, as of /v1/tokenize',
    async (model) => {
      const prompt = model === 'st-subfolder' ? 'query: ' : ''
      const answer = await post(service, `/tei/${model}/tokenize`, { inputs, add_special_tokens: false })
      const lists = teiTokenizeAnswer.parse(answer.json())
      for (const [d, tokens] of lists.entries()) {
        const text = prompt + inputs[d]
        const own = (await post(service, '/v1/tokenize', { model, text })).json()
        expect(tokens.map(({ id }) => id)).toEqual(own.input_ids)
        expect(tokens.map(({ start, stop }) => [start, stop])).toEqual(
          own.tokens.map(({ start, end }: { start: number; end: number }) => [start, end]),
        )
        for (const { start, stop, text: part } of tokens)
          expect(part).toBe(Buffer.from(text).subarray(start!, stop!).toString())
      }
      const one = await post(service, `/tei/${model}/tokenize`, {
        inputs: inputs[0],
        add_special_tokens: false,
      })
      expect(one.json()).toEqual(lists.slice(0, 1))
    },
  )

  test('decode gives texts back, of one list or several', async () => {
    const text = 'the cat sat on 東京 🤖'
    const { input_ids } = (await post(service, '/v1/tokenize', { model: 'wide', text })).json()
    const decode = async (body: object) =>
      teiDecodeAnswer.parse((await post(service, '/tei/wide/decode', body)).json())
    expect(await decode({ ids: input_ids })).toEqual([text])
    expect(await decode({ ids: [input_ids, input_ids.slice(0, 1)] })).toEqual([text, expect.any(String)])
  })

  test('special tokens are left out unless told', async () => {
    const { specialTokens } = await service.models.tokenizerOf(service.models.card('float32'))
    const [[, special]] = [...specialTokens]
    const { input_ids } = (await post(service, '/v1/tokenize', { model: 'float32', text: 'cat' })).json()
    const ids = [special, ...input_ids]
    const decode = async (skip_special_tokens: boolean) =>
      (await post(service, '/tei/float32/decode', { ids, skip_special_tokens })).json()
    expect(await decode(true)).toEqual(['cat'])
    expect(await decode(false)).not.toEqual(['cat'])
    expect((await post(service, '/tei/float32/decode', { ids: [special] })).json()).toEqual([''])
  })
})

test('info and health', async () => {
  const info = await service.app.inject('/tei/short/info')
  expect(teiInfoAnswer.parse(info.json())).toMatchObject({ model_id: 'short', max_input_length: 4 })
  const health = await service.app.inject('/tei/org%2Fwide/health')
  expect([health.statusCode, health.body]).toEqual([200, ''])
  const other = await service.app.inject('/tei/default/health')
  expect(teiError.parse(other.json()).error_type).toBe('Backend')
})
