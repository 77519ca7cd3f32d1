import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestService, testService } from '../../helper.js'

const ADMIN = 'admin-key-of-twenty-letters'
const CARD = { vocab_size: 6, embedding_dim: 3, max_position_embeddings: 4 }

let service: TestService
beforeAll(async () => {
  service = await testService({ ADMIN_KEY: ADMIN })
  expect((await call('PUT', '/v1/models/org%2Fname', CARD)).statusCode).toBe(201)
  expect((await call('PUT', '/v1/models/org', { ...CARD, seed: 7 })).statusCode).toBe(201)
})
afterAll(() => service.close())

function call(method: InjectOptions['method'], url: string, payload?: object) {
  return service.app.inject({ method, url, payload, headers: { authorization: `Bearer ${ADMIN}` } })
}

const id = 'org%2Fname'

describe('the model org/name, whose slash is %2F in a path,', () => {
  test.each([
    ['GET', `/v1/models/${id}`, undefined],
    ['GET', `/v1/models/${id}/position-embeddings?context_length=2`, undefined],
    ['GET', `/v1/models/${id}/tables`, undefined],
    ['POST', `/v1/models/${id}/neighbors`, { input_ids: [1], k: 1 }],
    ['POST', `/v1/models/${id}/load`, undefined],
    ['GET', `/v2/models/${id}`, undefined],
    ['GET', `/v2/models/${id}/ready`, undefined],
    ['GET', `/v2/models/${id}/versions/1/ready`, undefined],
  ] as const)('answers %s %s', async (method, url, payload) => {
    const answer = await call(method, url, payload)
    expect(answer.statusCode, answer.body).toBe(200)
  })

  test('is made again under its name, and is the one of bodies', async () => {
    expect((await call('PUT', `/v1/models/${id}`, CARD)).statusCode).toBe(200)
    expect((await call('GET', `/v1/models/${id}`)).json().id).toBe('org/name')
    const body = { input_ids: [1], model: 'org/name' }
    expect((await call('POST', '/v1/input-embeddings', body)).json().model).toBe('org/name')
  })
})

test('a plain slash ends the id: the path is refused, and says how to write it', async () => {
  for (const url of ['/v1/models/org/name', '/v1/models/org/name/tables', '/v2/models/org/name/ready']) {
    const answer = await call('GET', url)
    expect(answer.statusCode).toBe(404)
    expect(answer.body).toContain('A slash in a model’s id is %2F in a path.')
  }
  const tables = await call('GET', '/v1/models/org/tables')
  const other = await call('GET', `/v1/models/${id}/tables`)
  expect(tables.rawPayload.equals(other.rawPayload)).toBe(false)
})

test('an id with a slash that no model has is refused by its whole name', async () => {
  const { error } = (await call('GET', '/v1/models/org%2Fother')).json()
  expect([error.code, error.message]).toEqual(['model_not_found', expect.stringContaining('"org/other"')])
})
