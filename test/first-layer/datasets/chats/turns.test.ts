import { expect, it } from 'vitest'
import { templateTexts } from '../../../../src/first-layer/datasets/chats/chat-texts.js'
import { sampledTexts } from '../../../../src/first-layer/datasets/chats/turn-spans.js'

it('a render lets other work have its turn within it, as often as a template works', async () => {
  let turns = 0
  const chat = {
    messages: [
      new Map([
        ['role', 'user'],
        ['content', 'hi'],
      ]),
    ],
    chat_template: '{% for i in range(3000) %}{{ i % 10 }}{% endfor %}',
  }
  const texts = await templateTexts(undefined, chat, 10_000, () => {
    turns++
    return undefined
  })
  const before = turns
  expect(await texts.whole(false)).toHaveLength(3000)
  expect(turns - before).toBeGreaterThan(20)
})

it('the renders of a chat of very many turns are refused after a bounded amount of work', async () => {
  const message = (role: string) =>
    new Map([
      ['role', role],
      ['content', 'x'],
    ])
  const messages = Array.from({ length: 4000 }, (_, i) => message(i % 2 ? 'assistant' : 'user'))
  const template = '{% for m in messages %}{{ m.role }}{{ m.content }}\n{% endfor %}'
  let turns = 0
  const texts = await templateTexts(undefined, { messages, chat_template: template }, 1 << 20, () => {
    turns++
    return undefined
  })
  const wanted = messages.flatMap((_, i) => (i % 2 ? [i] : []))
  await expect(sampledTexts(texts, await texts.whole(false), wanted, 'whole')).rejects.toMatchObject({
    code: 'template_unsupported',
  })
  expect(turns).toBeLessThanOrEqual(128_000)
}, 60_000)
