import { afterAll, beforeAll, expect, test } from 'vitest'
import { optionFields } from '../../../src/checkpoints/embedding-request.js'
import { post, type TestService, testService } from '../../helper.js'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

const NAMES = [...Object.keys(optionFields), 'text', 'input_ids', 'position_embedding.head_dim', 'unknown']

test.each(NAMES)('`%s` in the query beside a JSON body is refused by name', async (name) => {
  for (const path of ['/v1/input-embeddings', '/v1/tokenize']) {
    const answer = await post(service, `${path}?${name}=1`, { text: 'a' })
    expect(answer.status).toBe(400)
    expect(answer.json().error).toMatchObject({ code: 'invalid_request', param: name })
    expect(answer.json().error.message).toContain(`"${name}"`)
  }
})

const DEFAULTS =
  'shuffle=false&epoch=0&drop_last=false&position_offset=0&dtype=float32&encoding_format=float&add_special_tokens=false'

test('defaults in the query beside a JSON body change nothing, and the body counts', async () => {
  const body = { text: 'Hello', dtype: 'float16', position_offset: 3 }
  const plain = await post(service, '/v1/input-embeddings', body)
  const answer = await post(service, `/v1/input-embeddings?${DEFAULTS}`, body)
  expect(answer.status).toBe(200)
  expect(answer.json()).toEqual(plain.json())
  expect((await post(service, '/v1/tokenize?count_only=false', { text: 'a '.repeat(50_000) })).status).toBe(
    200,
  )
})

test.each([
  ...['dtype=float64', 'epoch=00', 'shuffle=0', 'position_embedding.base=10000', 'model=default'],
  ...['dtype=float32&dtype=float32', 'constructor=', '__proto__=0'],
])('`%s` in the query beside a JSON body is no default: refused', async (query) => {
  const answer = await post(service, `/v1/input-embeddings?${query}`, { text: 'Hello' })
  expect(answer.status).toBe(400)
  expect(answer.json().error.code).toBe('invalid_request')
})
