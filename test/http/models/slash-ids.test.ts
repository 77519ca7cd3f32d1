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

describe.each([['org/name'], ['org%2Fname']])('the model org/name, written %s', (id) => {
  test.each([
    ['GET', `/v1/models/${id}`, undefined],
    ['GET', `/v1/models/${id}/position-embeddings?context_length=2`, undefined],
    ['GET', `/v1/models/${id}/tables`, undefined],
    ['POST', `/v1/models/${id}/neighbors`, { input_ids: [1], k: 1 }],
    ['POST', `/v1/models/${id}/load`, undefined],
    ['GET', `/v2/models/${id}`, undefined],
    ['GET', `/v2/models/${id}/ready`, undefined],
    ['GET', `/v2/models/${id}/versions/1/ready`, undefined],
    ['POST', `/v2/repository/models/${id}/load`, undefined],
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

test('a path below the model org stays one, whatever org/name is', async () => {
  const tables = await call('GET', '/v1/models/org/tables')
  const other = await call('GET', '/v1/models/org/name/tables')
  expect(tables.rawPayload.equals(other.rawPayload)).toBe(false)
  expect((await call('GET', '/v1/models/org')).json().id).toBe('org')
})

test('an id with a slash that no model has is refused by its whole name', async () => {
  const { error } = (await call('GET', '/v1/models/org/other')).json()
  expect([error.code, error.message]).toEqual(['model_not_found', expect.stringContaining('"org/other"')])
})
