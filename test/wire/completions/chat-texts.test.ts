import { describe, expect, test } from 'vitest'
import { run } from '../../../src/first-layer/steps.js'
import { drive } from '../../../src/load/drive.js'
import { readChat } from '../../../src/wire/completions/chat.js'
import { CHAT_TEXT_BYTES } from '../../../src/wire/completions/chat-texts.js'
import { CountingClaim } from '../../counting-claim.js'

const MOST = 65_536
const chatOf = (body: string) => run(readChat(Buffer.from(body), MOST))

/** The body with each text's number in the place of its rows. */
async function spliced(body: string, has: (d: number) => boolean = () => true): Promise<string> {
  const { texts } = chatOf(body)
  let made = ''
  let at = 0
  for (const { start, end, before, document, after } of texts.splices(has)) {
    made += body.slice(at, start) + before + (document === undefined ? '' : `"#${document}"`) + after
    at = end
  }
  return made + body.slice(at)
}

describe('the texts of a chat', () => {
  test('are the strings and the text parts of all messages, in order; an empty one is none', async () => {
    const { texts } = chatOf(
      '{"messages":[{"content":"a"},{"content":["b","",{"type":"text","text":"c\\n"},{"text":"d","type":"text"},{"type":"x","text":"e"}]}]}',
    )
    expect([...texts].map(String)).toEqual(['a', 'b', 'c\n', 'd'])
    expect(texts.count).toBe(4)
  })

  test('give way to rows, whichever of a part’s keys stands first', async () => {
    expect(await spliced('{"messages":[{"content":"a"}]}')).toBe(
      '{"messages":[{"content":[{"type":"prompt_embeds","data":"#0"}]}]}',
    )
    const parts =
      '{"messages":[{"content":["a",{"type":"text","text":"b"},{"text":"c","u":1,"type":"text"}]}]}'
    expect(await spliced(parts)).toBe(
      '{"messages":[{"content":[{"type":"prompt_embeds","data":"#0"},{"type":"prompt_embeds","data":"#1"},{"data":"#2","u":1,"type":"prompt_embeds"}]}]}',
    )
  })

  test('stay where they have no rows', async () => {
    const body = '{"messages":[{"content":["a","b"]}]}'
    expect(await spliced(body, (d) => d === 1)).toBe(
      '{"messages":[{"content":["a",{"type":"prompt_embeds","data":"#1"}]}]}',
    )
  })

  test('are reserved, each by its places', async () => {
    const claim = new CountingClaim()
    const part = '{"type":"text","text":"a"}'
    const body = `{"messages":[{"content":[${Array(20_000).fill(part)}]}]}`
    await drive(claim, readChat(Buffer.from(body), MOST))
    expect(claim.taken).toBeGreaterThanOrEqual(20_000 * CHAT_TEXT_BYTES)
    expect(claim.taken).toBeLessThan(2 * 20_000 * CHAT_TEXT_BYTES)
  })
})
