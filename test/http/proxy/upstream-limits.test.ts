import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Proxied } from './proxied.js'

const COMPLETIONS = '/v1/completions'
const CHAT = '/v1/chat/completions'
/** Positions of the model. */
const P = 64

let folder: string
let proxied: Proxied
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-upstream-'))
  const API_KEYS_FILE = join(folder, 'keys')
  const callers = [
    { name: 'free', key: 'free' },
    { name: 'few', key: 'few', bytes_per_second: 2000 },
  ]
  writeFileSync(API_KEYS_FILE, JSON.stringify({ callers }))
  const env = { DEFAULT_MODEL: 'llama', MAX_UPSTREAM_BODY_BYTES: '20000', API_KEYS_FILE }
  proxied = await Proxied.start(env, { max_position_embeddings: P })
})
afterAll(async () => {
  await proxied.close()
  rmSync(folder, { recursive: true })
})

/** The answer to a body, and how many requests the upstream then has had. */
async function send(path: string, body: object, key = 'free') {
  const answer = await proxied.post(path, body, { headers: { authorization: `Bearer ${key}` } })
  const { error } = (await answer.json()) as {
    error?: { code: string; message: string; param: string | null }
  }
  return { status: answer.status, error, headers: answer.headers }
}

const ids = (length: number) => Array(length).fill(5)

describe('a body that rows make longer than MAX_UPSTREAM_BODY_BYTES', () => {
  test('is refused with both numbers before the upstream hears of it', async () => {
    const before = proxied.upstream.connections.length
    const prompt = Array.from({ length: 40 }, () => ids(P))
    const { status, error } = await send(COMPLETIONS, { prompt })
    expect([status, error?.code, error?.param]).toEqual([413, 'body_too_large', null])
    expect(error?.message).toMatch(
      /^The body for the model server must be at most 20000 bytes \(MAX_UPSTREAM_BODY_BYTES\)\. With rows in place of text it would be \d{5}\.$/,
    )
    expect(proxied.upstream.connections.length).toBe(before)
  })

  test('holds for chats, and for bodies that bring their rows', async () => {
    const messages = Array.from({ length: 30 }, () => ({ role: 'user', content: 'a' }))
    expect((await send(CHAT, { messages })).error?.code).toBe('body_too_large')
    expect((await send(COMPLETIONS, { prompt_embeds: 'A'.repeat(20_000) })).error?.code).toBe(
      'body_too_large',
    )
  })

  test('at the limit goes on', async () => {
    const body = { prompt_embeds: '' }
    body.prompt_embeds = 'A'.repeat(20_000 - JSON.stringify(body).length)
    expect((await send(COMPLETIONS, body)).status).toBe(200)
    body.prompt_embeds += 'A'
    const { error } = await send(COMPLETIONS, body)
    expect(error?.message).toContain('20001')
  })
})

describe('more tokens than the model has positions', () => {
  test.each([
    ['a prompt', COMPLETIONS, { prompt: ids(P + 1) }, 'prompt', P + 1],
    ['one of several prompts', COMPLETIONS, { prompt: [ids(P), ids(P + 2)] }, 'prompt.1', P + 2],
    ['a chat’s texts together', CHAT, { messages: [{ content: 'a '.repeat(P) }] }, 'messages', undefined],
  ])('in %s are refused with both numbers', async (_, path, body, param, given) => {
    const before = proxied.upstream.received.length
    const { status, error } = await send(path, body)
    expect([status, error?.code, error?.param]).toEqual([422, 'context_too_long', param])
    expect(error?.message).toMatch(new RegExp(`at most ${P} tokens.*Given: ${given ?? '\\d+'}$`))
    expect(proxied.upstream.received.length).toBe(before)
  })

  test('none: a prompt of as many goes on', async () => {
    expect((await send(COMPLETIONS, { prompt: ids(P) })).status).toBe(200)
  })
})

test('a caller’s bytes a second count what goes out', async () => {
  // Some hundred bytes come, over two thousand go out.
  expect((await send(COMPLETIONS, { prompt: ids(P) }, 'few')).status).toBe(200)
  const { status, error } = await send(COMPLETIONS, { prompt: ids(1) }, 'few')
  expect([status, error?.code]).toEqual([429, 'rate_limited'])
})
