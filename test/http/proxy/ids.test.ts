import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Proxied } from './proxied.js'

let proxied: Proxied
beforeAll(async () => {
  const env = { DEFAULT_MODEL: 'llama', UPSTREAM_SEND: 'ids' }
  proxied = await Proxied.start(env, { max_position_embeddings: 20_000 })
})
afterAll(() => proxied.close())

async function passed(path: string, body: string | object): Promise<string> {
  const answer = await proxied.post(path, body)
  expect(await answer.text()).toBe('{"choices":[]}')
  const received = proxied.upstream.received.at(-1)!
  expect(received.headers['content-length']).toBe(String(Buffer.byteLength(received.body)))
  return received.body
}
const refused = async (path: string, body: object) => {
  const answer = await proxied.post(path, body)
  const { error } = (await answer.json()) as { error: { code: string; param: string } }
  return [answer.status, error.code, error.param]
}

describe('under UPSTREAM_SEND=ids a completion', () => {
  test('goes on with the ids of its text, all other bytes as they are', async () => {
    const sent = await passed(
      '/v1/completions',
      '{ "n":1, "pro\\u006dpt" : "Hello, world! é" ,"seed":12345678901234567890}',
    )
    const ids = await proxied.ids('Hello, world! é', true)
    expect(sent).toBe(`{ "n":1, "prompt":${JSON.stringify(ids)} ,"seed":12345678901234567890}`)
  })

  test.each([
    ['texts', ['a b', 'c'], async () => [await proxied.ids('a b', true), await proxied.ids('c', true)]],
    ['one text in a list', ['a b'], async () => [await proxied.ids('a b', true)]],
    ['lists of ids', [[5, 600], [7]], async () => [[5, 600], [7]]],
    ['ids', [0, 9, 10, 99, 100, 999, 1000], async () => [0, 9, 10, 99, 100, 999, 1000]],
  ])('of %s has them in the form that it had', async (_, prompt, ids) => {
    expect(JSON.parse(await passed('/v1/completions', { prompt, n: 2 }))).toEqual({
      prompt: await ids(),
      n: 2,
    })
  })

  test('without special tokens has none', async () => {
    const { prompt } = JSON.parse(
      await passed('/v1/completions', { prompt: 'a b', add_special_tokens: false }),
    )
    expect(prompt).toEqual(await proxied.ids('a b', false))
  })

  test('of many ids has them all', async () => {
    const prompt = Array.from({ length: 20_000 }, (_, i) => (i * 7) % 1300)
    expect(JSON.parse(await passed('/v1/completions', { prompt })).prompt).toEqual(prompt)
  })

  test('with rows of the caller’s goes on as it came', async () => {
    const body = '{"prompt_embeds" : "AAAA","n":1}'
    expect(await passed('/v1/completions', body)).toBe(body)
  })

  test('with null for rows keeps it', async () => {
    expect(await passed('/v1/completions', '{"prompt_embeds":null,"prompt":[5]}')).toBe(
      '{"prompt_embeds":null,"prompt":[5]}',
    )
  })

  test.each([
    [{ prompt: [1300] }, 422, 'token_out_of_range', 'prompt.0'],
    [{ prompt: new Array(20_001).fill(1) }, 422, 'context_too_long', 'prompt'],
    [{ prompt: '' }, 400, 'empty_input', 'prompt'],
    [{ prompt: [1], model: 'nobody' }, 404, 'model_not_found', 'model'],
    [{ prompt: [1], soft_prompt: 'tone' }, 422, 'unsupported_combination', 'soft_prompt'],
  ])('is checked as ever: %#', async (body, ...wanted) => {
    expect(await refused('/v1/completions', body)).toEqual(wanted)
  })
})

test('under UPSTREAM_SEND=ids a chat goes on as it came', async () => {
  const body = '{"model":"llama", "messages" : [{"role":"user","content":"a b"}] }'
  expect(await passed('/v1/chat/completions', body)).toBe(body)
  const messages = [{ role: 'user', content: 'a' }]
  expect(await refused('/v1/chat/completions', { messages, prompt: 'tone' })).toEqual([
    422,
    'unsupported_combination',
    'prompt',
  ])
})
