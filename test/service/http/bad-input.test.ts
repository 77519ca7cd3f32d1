import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestService, testService } from '../../helper.js'
import { expectError, expectGoodRequest, LIMITS, type Situation } from './bad-input.js'
import { BODIES, UNICODE } from './situations/bodies.js'
import { BOUNDS } from './situations/bounds.js'
import { EDGE } from './situations/edge.js'
import { FIELDS } from './situations/fields.js'
import { SEMANTICS } from './situations/model.js'
import { DETOKENIZE, TOKENIZE } from './situations/tokens.js'

let service: TestService
beforeAll(async () => {
  service = await testService(LIMITS)
})
afterAll(() => service.close())

async function expectRefusal(situation: Situation): Promise<void> {
  const { body, url, method, headers, expected, says } = situation
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
  const answer = await service.app.inject({
    method: (method ?? 'POST') as 'POST',
    url: url ?? '/v1/input-embeddings',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { payload: isRaw ? body : JSON.stringify(body) }),
  })
  const { statusCode: status, rawPayload } = answer
  expectError({ status, headers: answer.headers as Record<string, string>, body: rawPayload }, expected, says)
  await expectGoodRequest(service)
}

describe.each([
  ['a body with', BODIES],
  ['a body with too much:', BOUNDS],
  ['text with', UNICODE],
  ['a request with', FIELDS],
  ['what the model does not allow:', SEMANTICS],
  ['tokenize with', TOKENIZE],
  ['detokenize with', DETOKENIZE],
])('%s', (_, situations) => {
  test.each(situations)('$name', (situation) => expectRefusal(situation))
})

test.each(EDGE)('at the edge: $name', (situation) => expectRefusal(situation))

test('a 405 lists the allowed methods', async () => {
  const allow = async (url: string) => (await service.app.inject({ method: 'PATCH', url })).headers.allow
  expect(await allow('/v1/input-embeddings')).toBe('POST')
  expect(await allow('/v1/models')).toBe('GET, HEAD')
  expect(await allow('/v1/models/default')).toBe('GET, HEAD, PUT, DELETE')
})

test('HEAD answers as GET without a body', async () => {
  const get = await service.app.inject({ method: 'GET', url: '/v1/models' })
  const head = await service.app.inject({ method: 'HEAD', url: '/v1/models' })
  expect(head.statusCode).toBe(200)
  expect(head.body).toBe('')
  expect(head.headers['content-length']).toBe(get.headers['content-length'])
})

test('a hostile key leaves no trace on objects', () => {
  expect(({} as Record<string, unknown>).stride).toBeUndefined()
})
