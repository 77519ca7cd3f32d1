import { afterAll, beforeAll, expect, test } from 'vitest'
import { optionFields } from '../../src/wire/schemas/embedding-request.js'
import { post, type TestService, testService } from '../helper.js'

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

test('the same beside a body that is read in turns', async () => {
  const answer = await post(service, '/v1/tokenize?count_only=true', { text: 'a '.repeat(50_000) })
  expect(answer.status).toBe(400)
  expect(answer.json().error).toMatchObject({ code: 'invalid_request', param: 'count_only' })
})
