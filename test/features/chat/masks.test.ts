import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderEntries } from '../../../src/models/folders.js'
import { chats, folderOf, type GoldenAsk, runsOf } from '../../first-layer/datasets/chats/golden-chats.js'
import { post, type TestService, testService } from '../../helper.js'

const names = Object.keys(chats.folders)
let service: TestService
beforeAll(async () => {
  service = await testService(
    {},
    { folders: await folderEntries({ MODELS_DIR: folderOf(''), MODELS: undefined }, () => {}) },
  )
})
afterAll(() => service.close())

describe.each(names)('%s', (model) => {
  const { files, ids: lists, asks } = chats.folders[model]
  const titled = asks.map((ask, i) => [i, JSON.stringify(ask).slice(0, 90), ask] as const)

  test.each(titled)('%i %s: the reference’s ids and mask, or its refusal', async (_, __, ask: GoldenAsk) => {
    const { line, mask, add_generation_prompt, ids, trained, code, has_tags } = ask
    const chat = { model, ...files.chats[line - 1], add_generation_prompt }
    const answer = (await post(service, '/v1/tokenize', { ...chat, mask })).json()
    if (code !== undefined) expect(answer.error?.code).toBe(code)
    else expect([answer.input_ids, runsOf(answer.loss_mask)]).toEqual([lists[ids!], trained])
    if ((mask === 'tags') !== has_tags) return
    const body = { ...chat, return_assistant_tokens_mask: true }
    const rendered = (await post(service, '/v1/chat/completions/render', body)).json()
    if (code !== undefined) expect(rendered.error?.code).toBe(code)
    else expect([rendered.token_ids, runsOf(rendered.assistant_tokens_mask)]).toEqual([lists[ids!], trained])
  })
})

const chat = { model: 'chatml', messages: [{ role: 'user', content: 'Maps?' }] }

test.each([
  [
    { ...chat, mask: 'sampled', add_generation_prompt: false, continue_final_message: true },
    'continue_final_message',
  ],
  [{ model: 'chatml', text: 'Maps?', mask: 'sampled' }, 'mask'],
  [{ ...chat, mask: 'all' }, 'mask'],
])('%j is refused', async (body, param) => {
  const answer = await post(service, '/v1/tokenize', body)
  expect(answer.status).toBe(400)
  expect(answer.json().error).toMatchObject({ code: 'invalid_request', param })
})

test('a turn without an exact mask is refused by its place', async () => {
  const refused = chats.errors.find(({ reason, file }) => reason === 'rewrites_history' && file === 'chats')!
  const line = chats.folders[refused.folder].files.chats[refused.line! - 1]
  const answer = await post(service, '/v1/tokenize', { model: refused.folder, ...line, mask: 'sampled' })
  expect(answer.status).toBe(422)
  expect(answer.json().error).toMatchObject({ code: 'chat_refused', param: `messages.${refused.turn}` })
})
