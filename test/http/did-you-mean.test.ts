import { afterAll, beforeAll, expect, test } from 'vitest'
import { embed, post, type TestService, testService } from '../helper.js'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

test.each([
  ['texts', 'text'],
  ['input', 'text'],
  ['token_ids', 'input_ids'],
  ['block_size', 'context_length'],
  ['strid', 'stride'],
])('an unknown field is refused with the one that was meant: %s → %s', async (given, meant) => {
  const { error } = (await embed(service, { [given]: 'a' })).json()
  expect(error.message).toBe(`\`${given}\` is not a field of this request. Did you mean \`${meant}\`?`)
  expect(error.param).toBe(given)
})

test('an unknown field that is near none is refused without a guess', async () => {
  const { error } = (await embed(service, { text: 'a', temperature: 1 })).json()
  expect(error.message).toBe('`temperature` is not a field of this request.')
})

test.each([['/v1/completions'], ['/v1/chat/completions']])(
  'without a model server, %s is refused with the variable that names one',
  async (url) => {
    const { error } = (await post(service, url, {})).json()
    expect([error.code, error.message]).toEqual(['not_found', expect.stringContaining('UPSTREAM_URL')])
  },
)
