import { expect, it } from 'vitest'
import { TemplateTexts } from '../../../../src/first-layer/datasets/chats/chat-texts.js'

it('a render lets other work have its turn within it, as often as a template works', async () => {
  let turns = 0
  const chat = {
    messages: [
      new Map([
        ['role', 'user'],
        ['content', 'hi'],
      ]),
    ],
    template: '{% for i in range(3000) %}{{ i % 10 }}{% endfor %}',
  }
  const texts = await TemplateTexts.open(undefined, chat, 10_000, () => {
    turns++
    return undefined
  })
  const before = turns
  expect(await texts.whole(false)).toHaveLength(3000)
  expect(turns - before).toBeGreaterThan(20)
})
