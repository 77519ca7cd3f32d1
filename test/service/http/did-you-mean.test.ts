import { afterAll, beforeAll, expect, test } from 'vitest'
import { embed, type TestService, testService } from '../../helper.js'

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
