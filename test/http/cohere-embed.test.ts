import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderEntries } from '../../src/models/sources/folders.js'
import { embeddingsAnswer } from '../../src/wire/schemas/answers.js'
import { cohereEmbedAnswer } from '../../src/wire/schemas/cohere-embed.js'
import { post, type TestService, testService } from '../helper.js'

let service: TestService
beforeAll(async () => {
  const folder = fileURLToPath(new URL('../goldens/static/', import.meta.url))
  const folders = await folderEntries({ MODELS_DIR: folder, MODELS: undefined }, () => {})
  service = await testService({ MAX_JSON_RESPONSE_BYTES: '40000' }, { folders })
})
afterAll(() => service.close())

const texts = ['the cat sat', 'naïve café', 'dog']

async function embed(body: object) {
  const answer = await post(service, '/v2/embed', body)
  expect(answer.status, answer.body.toString()).toBe(200)
  return cohereEmbedAnswer.parse(answer.json())
}

async function openAi(body: object) {
  const answer = await post(service, '/v1/embeddings', body)
  return embeddingsAnswer.parse(answer.json()).data.map(({ embedding }) => embedding)
}

describe('POST /v2/embed', () => {
  test('gives the embeddings of /v1/embeddings in each type, and counts tokens', async () => {
    const model = 'wide'
    const embedding_types = ['ubinary', 'float', 'base64', 'binary']
    const { embeddings, meta } = await embed({
      ...{ model, texts, input_type: 'search_query', embedding_types, output_dimension: 24 },
      ...{ truncate: 'END', priority: 3 },
    })
    expect(Object.keys(embeddings).sort()).toEqual([...embedding_types].sort())
    const asked = { model, input: texts, dimensions: 24 }
    expect(embeddings.float).toEqual(await openAi(asked))
    expect(embeddings.base64).toEqual(await openAi({ ...asked, encoding_format: 'base64' }))
    for (const output_dtype of ['binary', 'ubinary'] as const) {
      expect(embeddings[output_dtype]).toEqual(await openAi({ ...asked, output_dtype }))
    }
    const { usage } = (await post(service, '/v1/embeddings', asked)).json()
    expect(meta.billed_units.input_tokens).toBe(usage.total_tokens)
  })

  test('takes texts as inputs, and gives floats unless told', async () => {
    const inputs = texts.map((text) => ({ content: [{ type: 'text', text }] }))
    const { embeddings } = await embed({ model: 'float32', inputs })
    expect(embeddings).toEqual({ float: await openAi({ model: 'float32', input: texts }) })
  })

  test.each(['short', 'st-last'])('%s: cuts the end or the start, or refuses', async (model) => {
    const first = 'the cat sat on the mat'
    const both = `${first} ${'and a dog ran over the hill '.repeat(9)}`
    const cut = async (text: string, truncate: string, max_tokens = 3) =>
      (await embed({ model, texts: [text], truncate, max_tokens })).embeddings.float
    expect(await cut(both, 'END')).toEqual(await cut(first, 'END'))
    expect(await cut(both, 'START')).not.toEqual(await cut(both, 'END'))
    expect(await cut(both, 'START')).toEqual(await cut(both.slice(-40), 'START'))
    const refused = await post(service, '/v2/embed', { model, texts: ['cat', both], truncate: 'NONE' })
    expect([refused.status, refused.json()]).toEqual([
      422,
      { message: expect.stringMatching(/^`texts\.1` must have at most [45] tokens.*Given: \d+$/) },
    ])
    expect((await embed({ model, texts: ['cat'], truncate: 'NONE' })).embeddings.float).toHaveLength(1)
  })

  const input = (part: object) => ({ inputs: [{ content: [part] }] })
  test.each([
    ['images', { images: ['data:image/png;base64,AA=='] }, 400, /`images`.*no images/],
    [
      'images among inputs',
      input({ type: 'image_url', image_url: { url: 'x' } }),
      400,
      /type.*no images.*image_url/,
    ],
    ['the type of images', { texts, input_type: 'image' }, 400, /`input_type`.*no images/],
    ['nothing', {}, 400, /`texts` or `inputs` is needed/],
    ['texts and inputs', { texts, ...input({ type: 'text', text: 'a' }) }, 400, /`inputs`.*beside `texts`/],
    ['a part without a text', input({ type: 'text' }), 400, /inputs\.0\.content\.0\.text` is needed/],
    [
      'an empty part',
      input({ type: 'text', text: '' }),
      400,
      /inputs\.0\.content\.0\.text` must not be empty/,
    ],
    ['an empty text', { texts: ['a', ''] }, 400, /`texts\.1`.*empty/],
    ['a type twice', { texts, embedding_types: ['float', 'float'] }, 400, /embedding_types\.1.*twice/],
    ['another type', { texts, embedding_types: ['int4'] }, 400, /embedding_types\.0.*"int4"/],
    [
      'no ranges',
      { texts, embedding_types: ['float', 'int8'] },
      422,
      /embedding_types\.1` "int8" needs ranges/,
    ],
    [
      'too many dimensions',
      { texts, output_dimension: 301 },
      400,
      /`output_dimension` must be at most 300.*301/,
    ],
    ['ids', { texts: [1, 2] }, 400, /`texts\.0`.*string/],
    ['a model that is not static', { model: 'default', texts }, 422, /`model` must be a static model/],
    ['too long an answer', { texts: new Array(20).fill('a') }, 413, /40000/],
  ] as const)('refuses %s', async (_, body, status, says) => {
    const answer = await post(service, '/v2/embed', { model: 'wide', ...body })
    expect([answer.status, answer.json()]).toEqual([status, { message: expect.stringMatching(says) }])
  })
})
