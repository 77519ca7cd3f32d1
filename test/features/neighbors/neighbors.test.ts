import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { neighborsAnswer } from '../../../src/features/neighbors/document.js'
import { folderEntries } from '../../../src/models/folders.js'
import { ModelsFolder, rowsFile } from '../../checkpoints/folders.js'
import { type TestService, testService } from '../../helper.js'
import { countedTokens } from '../../service/http/counted-tokens.js'

let service: TestService
let models: ModelsFolder
beforeAll(async () => {
  models = await ModelsFolder.make()
  await models.llama('cross', {
    'model.safetensors': rowsFile({ numbers: [1, 0, 0, 1, -1, 0, 2, 2] }),
  })
  const folders = await folderEntries({ MODELS_DIR: models.path, MODELS: undefined }, () => {})
  service = await testService({ EMBEDDING_DIM: '8' }, { folders })
})
afterAll(async () => {
  await service.close()
  await models.remove()
})

async function ask(payload: object, model = 'cross') {
  const answer = await service.app.inject({ method: 'POST', url: `/v1/models/${model}/neighbors`, payload })
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
}

describe('POST /v1/models/{model}/neighbors', () => {
  test('counts the tokens of its queries; positions and numbers are none', async () => {
    const { all, ofModel } = await countedTokens(service, 'default')
    await ask({ input_ids: [[0, 1], [2]] }, 'default')
    await ask({ input_ids: [[0, 1], [2]], table: 'position' }, 'default')
    await ask({ vector: [1, 0, 0, 0, 0, 0, 0, 0] }, 'default')
    expect(await countedTokens(service, 'default')).toEqual({ all: all + 3, ofModel: ofModel + 3 })
  })

  test('gives rows, the nearest first, a row among its own neighbours', async () => {
    const { status, body, headers } = await ask({ input_ids: [0], k: 3 })
    expect(status).toBe(200)
    expect(neighborsAnswer.parse(body)).toEqual({
      model: 'cross',
      model_version: '1',
      neighbors: [
        [
          { id: 0, text: null, score: 1 },
          { id: 3, text: null, score: (4 / (Math.sqrt(8) * Math.sqrt(4)) / Math.SQRT2) * Math.SQRT2 },
          { id: 1, text: null, score: 0 },
        ],
      ],
    })
    expect(headers['x-model-version']).toBe('1')
  })

  test('one list of ids is one query, the mean of its rows; several lists are several', async () => {
    const one = await ask({ input_ids: [0, 1], metric: 'euclidean', k: 1 })
    expect(one.body.neighbors).toEqual([[{ id: 0, text: null, score: Math.SQRT1_2 }]]) // (½, ½): 0 and 1 are as far
    const two = await ask({ input_ids: [[0], [2]], metric: 'dot', k: 1 })
    expect(
      two.body.neighbors.map(([first]: [{ id: number; score: number }]) => [first.id, first.score]),
    ).toEqual([
      [3, 2],
      [2, 1],
    ])
  })

  test('numbers are a query, and lists of them several', async () => {
    expect((await ask({ vector: [0, 3], k: 2 })).body.neighbors[0][0]).toMatchObject({ id: 1, score: 1 })
    expect(
      (
        await ask({
          vector: [
            [0, 3],
            [-1, 0],
          ],
          k: 1,
        })
      ).body.neighbors.map(([{ id }]: [{ id: number }]) => id),
    ).toEqual([1, 2])
  })

  test('a text is the mean of its tokens, and tokens have texts', async () => {
    const { body } = await ask({ text: ['Hello', ' world'], k: 1 }, 'default')
    expect(body.neighbors.map(([first]: [object]) => first)).toMatchObject([
      { id: 15496, text: 'Hello' },
      { id: 995, text: ' world' },
    ])
  })

  test('positions have neighbours as well', async () => {
    const { body } = await ask({ input_ids: [5], table: 'position', k: 1 }, 'default')
    expect(body.neighbors[0][0]).toMatchObject({ id: 5, text: null })
  })

  test('k above the rows gives all rows', async () => {
    expect((await ask({ input_ids: [0], k: 1000 })).body.neighbors[0]).toHaveLength(4)
  })

  test.each<[string, object, number, string, RegExp]>([
    ['nothing to look for', {}, 400, 'invalid_request', /`input_ids` must be given, or `text`, or `vector`/],
    ['two things', { input_ids: [0], vector: [1, 2] }, 400, 'invalid_request', /one of them/],
    [
      'an id without a row',
      { input_ids: [[0], [4]] },
      422,
      'token_out_of_range',
      /`input_ids.1.0` .* 4\. Given: 4/,
    ],
    [
      'a vector of another width',
      { vector: [1, 2, 3] },
      400,
      'invalid_request',
      /`vector` must have 2 numbers\. Given: an array of 3/,
    ],
    [
      'a second vector of another width',
      { vector: [[1, 2], [1]] },
      400,
      'invalid_request',
      /`vector\.1` must have 2 numbers\. Given: an array of 1/,
    ],
    [
      'a vector of texts',
      { vector: ['1', '2'] },
      400,
      'invalid_request',
      /`vector\.0` must be a float32 number\. Given: "1"/,
    ],
    ['a number beyond float32', { vector: [1, 1e39] }, 400, 'invalid_request', /`vector\.1`/],
    ['an empty vector', { vector: [] }, 400, 'invalid_request', /`vector` must be an array of numbers/],
    [
      '65 queries',
      { vector: Array(65).fill([1, 2]) },
      400,
      'invalid_request',
      /`vector` must have at most 64 queries\. Given: 65/,
    ],
    ['k of 0', { input_ids: [0], k: 0 }, 400, 'invalid_request', /`k`/],
    ['k of 1001', { input_ids: [0], k: 1001 }, 400, 'invalid_request', /`k`/],
    ['an unknown metric', { input_ids: [0], metric: 'manhattan' }, 400, 'invalid_request', /`metric`/],
    [
      'positions that the model has not',
      { input_ids: [0], table: 'position' },
      422,
      'unsupported_combination',
      /`table` must be token: cross holds no table of positions/,
    ],
    [
      'text for positions',
      { text: 'a', table: 'position' },
      400,
      'invalid_request',
      /`text` must not be given for positions/,
    ],
    [
      'text without a tokenizer',
      { text: 'a' },
      422,
      'tokenizer_unavailable',
      /takes `input_ids` only, no text: .*tokenizer\.json/,
    ],
    ['an unknown field', { input_ids: [0], n: 3 }, 400, 'invalid_request', /`n`/],
  ])('refuses %s', async (_, payload, status, code, message) => {
    const answer = await ask(payload)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect(answer.body.error.message).toMatch(message)
  })
})
