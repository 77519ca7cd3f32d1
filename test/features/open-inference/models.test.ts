import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cardSchema } from '../../../src/first-layer/cards/card-json.js'
import { seedCard } from '../../../src/first-layer/cards/seed-card.js'
import { unloaded } from '../../../src/models/entry.js'
import { type TestService, testService } from '../../helper.js'
import { decoded, errorOf, idsInput, infer } from './inference.js'

const ADMIN_KEY = 'an-admin-key-for-tests'

let service: TestService
beforeAll(async () => {
  const card = seedCard('other', cardSchema.parse({ embedding_dim: 4, position_embedding: 't5' }))
  service = await testService(
    { ADMIN_KEY, API_KEYS: 'user:a-user-key' },
    { folders: [unloaded(card, 'folder')] },
  )
})
afterAll(() => service.close())

const USER = { authorization: 'Bearer a-user-key' }
interface Asked {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Record<string, string>
  readonly payload?: string | undefined
}

async function ask(url: string, { method = 'GET', headers = USER, payload }: Asked = {}) {
  const answer = await service.app.inject({
    url,
    method,
    headers,
    ...(payload === undefined ? {} : { payload }),
  })
  return {
    status: answer.statusCode,
    type: answer.headers['content-type'],
    json: () => JSON.parse(answer.body),
  }
}

describe('the server', () => {
  test.each([
    ['/v2/health/live', { live: true }],
    ['/v2/health/ready', { ready: true }],
  ])('%s needs no key', async (url, body) => {
    expect((await ask(url, { headers: {} })).json()).toEqual(body)
  })

  test.each(['/v2', '/v2/'])('%s says what it is', async (url) => {
    expect((await ask(url)).json()).toEqual({
      name: 'inlet',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      extensions: expect.arrayContaining(['binary_tensor_data', 'parameters']),
    })
    expect((await ask(url, { headers: {} })).status).toBe(401)
  })

  test('lists its models', async () => {
    expect((await ask('/v2/models')).json()).toEqual({ models: ['default', 'other'] })
  })

  test.each([
    ['GET', '/v2/nothing', 404],
    ['GET', '/v2/models/default/infer', 405],
    ['POST', '/v2', 405],
    ['GET', '/v2/models/none', 404],
    ['GET', '/v2/models/default/versions/7', 404],
    ['GET', '/v2/models/default/versions/7/ready', 404],
    ['GET', '/v2/trace/setting', 501],
    ['POST', '/v2/models/default/trace/setting', 501],
    ['POST', '/v2/logging', 501],
    ['GET', '/v2/models/stats', 501],
    ['GET', '/v2/models/default/stats', 501],
    ['GET', '/v2/models/default/versions/1/stats', 501],
    ['POST', '/v2/repository/index', 501],
    ['POST', '/v2/repository/models/default/load', 501],
    ['POST', '/v2/repository/models/default/unload', 501],
    ['GET', '/v2/systemsharedmemory/status', 501],
    ['POST', '/v2/cudasharedmemory/region/a/register', 501],
  ] as const)('%s %s is %i, in the protocol’s form', async (method, url, status) => {
    const answer = await ask(url, { method })
    expect([answer.status, answer.type]).toEqual([status, 'application/json'])
    const error = errorOf(answer)
    if (status === 501) expect(error).toContain(`no ${method} ${url}`)
  })

  test('errors of other paths keep their form', async () => {
    expect((await ask('/v22')).json().error).toMatchObject({ code: 'not_found' })
  })
})

describe('a model', () => {
  test('lists its tensors, which its answers have', async () => {
    const { inputs, outputs, ...rest } = (await ask('/v2/models/default')).json()
    expect(rest).toEqual({ name: 'default', versions: ['1'], platform: 'inlet' })
    expect(inputs).toEqual([
      { name: 'text', datatype: 'BYTES', shape: [-1] },
      { name: 'input_ids', datatype: 'INT64', shape: [-1, -1] },
      { name: 'attention_mask', datatype: 'INT64', shape: [-1, -1] },
    ])
    const asked = outputs.map(({ name }: { name: string }) => ({ name }))
    const answer = await infer(service, { inputs: [idsInput(1, 2, 3)], outputs: asked }, { headers: USER })
    for (const [i, output] of decoded(answer).outputs.entries()) {
      const { name, datatype, shape } = outputs[i]
      expect({ name: output.name, datatype: output.datatype }).toEqual({ name, datatype })
      expect(output.shape, name).toHaveLength(shape.length)
      for (const [axis, size] of shape.entries()) if (size >= 0) expect(output.shape[axis]).toBe(size)
    }
  })

  test('that is not loaded lists those of its scheme', async () => {
    const { outputs, versions } = (await ask('/v2/models/other')).json()
    expect(versions).toEqual([])
    expect(outputs).toContainEqual({ name: 'position_bias', datatype: 'FP32', shape: [8, -1, -1] })
  })

  test('has a configuration of the same tensors', async () => {
    const config = (await ask('/v2/models/default/versions/1/config')).json()
    const { inputs, outputs } = (await ask('/v2/models/default')).json()
    expect(config).toMatchObject({ name: 'default', max_batch_size: 0, backend: 'inlet' })
    const names = (tensors: { name: string }[]) => tensors.map(({ name }) => name)
    expect([names(config.input), names(config.output)]).toEqual([names(inputs), names(outputs)])
    expect(config.output[0]).toEqual({ name: 'input_embeddings', data_type: 'TYPE_FP32', dims: [-1, -1, 8] })
  })
})
