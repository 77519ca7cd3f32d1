import { afterAll, beforeAll, expect, test } from 'vitest'
import { Inlet } from '../../clients/typescript/src/client.js'
import { Refused } from '../../clients/typescript/src/errors.js'
import { listen, type TestService, testService } from '../helper.js'

const TEXT = 'Hello, world!'
const IDS = [15496, 11, 995, 0]
const MESSAGES = [{ role: 'user', content: TEXT }]

let service: TestService
let inlet: Inlet
beforeAll(async () => {
  service = await testService()
  inlet = new Inlet(`http://127.0.0.1:${await listen(service)}`)
})
afterAll(() => service.close())

test('the TypeScript client renders completions: an object for each prompt', async () => {
  const prompts = await inlet.renderCompletion({ prompt: [TEXT, 'a'] })
  expect(prompts.map(({ token_ids }) => token_ids)).toEqual([IDS, [64]])
  const [only] = await inlet.renderCompletion({ prompt: TEXT, target: 'sglang' })
  expect([only?.input_ids, only?.token_ids, only?.features]).toEqual([IDS, undefined, null])
})

test('the TypeScript client renders chats, by the template that it sends', async () => {
  const chat_template = "{{ messages[0].content }}{{ more }}{{ '!' if add_generation_prompt }}"
  const kwargs = { chat_template_kwargs: { more: ' ?' }, add_generation_prompt: false }
  const given = await inlet.renderChat({ messages: MESSAGES, chat_template, ...kwargs })
  expect(given.token_ids).toEqual([...IDS, 5633])
  const refused = inlet.renderChat({ messages: MESSAGES })
  await expect(refused).rejects.toBeInstanceOf(Refused)
  await expect(refused).rejects.toMatchObject({ status: 422, code: 'template_unavailable' })
})
