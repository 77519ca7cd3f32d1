import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTorchFile } from '../../torch-file.js'
import { Proxied, ROWS } from './proxied.js'

const COMPLETIONS = '/v1/completions'
const CHAT = '/v1/chat/completions'

let proxied: Proxied
beforeAll(async () => {
  proxied = await Proxied.start({ DEFAULT_MODEL: 'llama', UPSTREAM_KEY: 'sesame' })
})
afterAll(() => proxied.close())

/** The ids whose rows a string of base64 has. */
function idsOf(base64: string): number[] {
  const { bytes, shape, storage } = readTorchFile(Buffer.from(base64, 'base64'))
  expect([storage, shape[1]]).toEqual(['torch.FloatStorage', 4])
  const rows = new Float32Array(new Uint8Array(bytes).buffer)
  return Array.from({ length: shape[0]! }, (_, t) => {
    const id = ROWS.indexOf(rows[4 * t]!) / 4
    expect(rows.slice(4 * t, 4 * t + 4)).toEqual(ROWS.slice(4 * id, 4 * id + 4))
    return id
  })
}

/** What the upstream gets for a body. */
async function passed(path: string, body: string | object) {
  const answer = await proxied.post(path, body)
  expect(await answer.text()).toBe('{"choices":[]}')
  const received = proxied.upstream.received.at(-1)!
  expect(received.url).toBe(path)
  expect(received.headers['content-length']).toBe(String(Buffer.byteLength(received.body)))
  return received.body
}

describe('a completion', () => {
  test('goes on with rows in place of its text, all other bytes as they are', async () => {
    const before = '{ "temperature" : 0.10000000000000000001,"seed":12345678901234567890, '
    const after = ' ,"logit_bias":{"1":-1e2},"stop":["\\u0041"],\n"stream":false }'
    const text = 'Hello, world! é'
    const body = await passed(COMPLETIONS, `${before}"pro\\u006dpt"  :\t${JSON.stringify(text)}${after}`)
    expect(body.startsWith(`${before}"prompt_embeds":"`)).toBe(true)
    expect(body.endsWith(`"${after}`)).toBe(true)
    const rows = body.slice(before.length + '"prompt_embeds":"'.length, -after.length - 1)
    expect(idsOf(rows)).toEqual(await proxied.ids(text, true))
  })

  test.each([
    ['texts', ['a b', 'c'], async () => [await proxied.ids('a b', true), await proxied.ids('c', true)]],
    ['one text in a list', ['a b'], async () => [await proxied.ids('a b', true)]],
    ['lists of ids', [[5, 6], [7]], async () => [[5, 6], [7]]],
    ['one list of ids in a list', [[5, 6]], async () => [[5, 6]]],
  ])('of %s has a list of rows', async (_, prompt, ids) => {
    const { prompt_embeds, ...rest } = JSON.parse(await passed(COMPLETIONS, { model: 'llama', prompt, n: 2 }))
    expect(rest).toEqual({ model: 'llama', n: 2 })
    expect((prompt_embeds as string[]).map(idsOf)).toEqual(await ids())
  })

  test('of ids has their rows', async () => {
    const { prompt_embeds } = JSON.parse(await passed(COMPLETIONS, { prompt: [5, 6, 7] }))
    expect(idsOf(prompt_embeds)).toEqual([5, 6, 7])
  })

  test('leaves special tokens out where the request asks for that', async () => {
    const { prompt_embeds, prompt } = JSON.parse(
      await passed(COMPLETIONS, { prompt: 'a b', add_special_tokens: false }),
    )
    expect([idsOf(prompt_embeds), prompt]).toEqual([await proxied.ids('a b', false), undefined])
  })

  test.each([
    [
      'before',
      '{"prompt_embeds" : null, "prompt":"a b","n":1}',
      /^\{"prompt":null, "prompt_embeds":"[^"]+","n":1\}$/,
    ],
    [
      'behind',
      '{"prompt":["a","b"],"prompt_embeds":null}',
      /^\{"prompt_embeds":\["[^"]+","[^"]+"\],"prompt":null\}$/,
    ],
  ])('has its rows under one key where it says null for them %s its text', async (_, body, expected) => {
    expect(await passed(COMPLETIONS, body)).toMatch(expected)
  })

  test('longer than a turn of the event loop is the same', async () => {
    const text = 'one two three '.repeat(20_000)
    const { prompt_embeds, user } = JSON.parse(await passed(COMPLETIONS, { user: 'é', prompt: text }))
    expect(user).toBe('é')
    expect(idsOf(prompt_embeds)).toEqual(await proxied.ids(text, true))
  }, 120_000)

  test.each([
    '{"prompt_embeds":"UEsDB","max_tokens":3}',
    '{"prompt_embeds":["x"],"model":"other","prompt":""}',
  ])('with rows of its own goes on as it is: %s', async (body) => {
    expect(await passed(COMPLETIONS, body)).toBe(body)
  })
})

describe('a chat', () => {
  test('has parts with rows in place of texts, without special tokens', async () => {
    const body = await passed(
      CHAT,
      '{"messages":[{"role":"system","content":"Be brief."},{"content":[{"text":"Look:", "cache": 1 ,"type":"text"},' +
        '{"type":"image_url","image_url":{"url":"data:,"}},"and say"],"role":"user"},{"role":"assistant","content":null},' +
        '{"role":"assistant","content":""},{"role":"user","name":"content"}],"top_p":0.90}',
    )
    expect(body.endsWith(',"top_p":0.90}')).toBe(true)
    const { messages } = JSON.parse(body)
    const [system, user, ...rest] = messages
    expect(rest).toEqual([
      { role: 'assistant', content: null },
      { role: 'assistant', content: '' },
      { role: 'user', name: 'content' },
    ])
    const part = (data: string) => ({ type: 'prompt_embeds', data })
    expect(system).toEqual({ role: 'system', content: [part(system.content[0].data)] })
    const [first, image, last] = user.content
    expect(user).toEqual({
      role: 'user',
      content: [
        { ...part(first.data), cache: 1 },
        { type: 'image_url', image_url: { url: 'data:,' } },
        part(last.data),
      ],
    })
    expect(image.type).toBe('image_url')
    const texts = [system.content[0], first, last].map(({ data }) => idsOf(data))
    const expected = ['Be brief.', 'Look:', 'and say'].map((text) => proxied.ids(text, false))
    expect(texts).toEqual(await Promise.all(expected))
  })

  test('without texts goes on as it is', async () => {
    const body = '{"messages" : [{"role":"user","content":[{"type":"prompt_embeds","data":"x"}]}, 1, "a"]}'
    expect(await passed(CHAT, body)).toBe(body)
  })
})

describe('headers', () => {
  test('are passed on, but for the caller’s credentials and those of the connection', async () => {
    await proxied.post(
      COMPLETIONS,
      { prompt: 'a' },
      {
        headers: {
          authorization: 'Bearer mine',
          cookie: 'a=b',
          te: 'trailers',
          'x-mine': 'kept',
          'x-request-id': 'abc',
          'x-request-timeout': '20',
          traceparent: '00-1',
        },
      },
    )
    const { headers } = proxied.upstream.received.at(-1)!
    expect(headers).toMatchObject({
      authorization: 'Bearer sesame',
      'x-mine': 'kept',
      'x-request-id': 'abc',
      traceparent: '00-1',
      via: '1.1 inlet',
      host: new URL(proxied.upstream.url).host,
    })
    for (const name of ['cookie', 'te', 'x-request-timeout', 'expect'])
      expect(headers).not.toHaveProperty(name)
  })

  test('keep their bytes, those that are no ASCII too', async () => {
    const word = Buffer.from('café').toString('latin1') // as Node gives header values: a character for each byte
    let given: unknown
    proxied.upstream.answer = ({ headers }, response) => {
      given = headers['x-mine']
      response.writeHead(200, { 'x-theirs': word }).end('{}')
    }
    const answer = await proxied.post(COMPLETIONS, { prompt: 'a' }, { headers: { 'x-mine': word } })
    expect([given, answer.headers.get('x-theirs')]).toEqual([word, word])
  })

  test('of the answer too: status, `Retry-After` and body as they are', async () => {
    const body = '{"error": {"message":"slow down" } }'
    proxied.upstream.answer = (_, response) => {
      const headers = {
        'retry-after': '7',
        'content-type': 'application/json',
        'x-ratelimit': '1',
        ratelimit: '"all";r=0;t=7',
        'ratelimit-policy': '"all";q=5;w=7',
        connection: 'close, x-hop',
        'x-hop': '1',
        'proxy-authenticate': 'Basic',
        'access-control-allow-origin': '*',
        'set-cookie': ['a=1', 'b=2'],
      }
      response.writeHead(429, headers).end(body)
    }
    const answer = await proxied.post(COMPLETIONS, { prompt: 'a' })
    expect([answer.status, await answer.text()]).toEqual([429, body])
    expect(answer.headers.get('retry-after')).toBe('7')
    expect(answer.headers.get('x-ratelimit')).toBe('1')
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    const dropped = [
      'ratelimit',
      'ratelimit-policy',
      'x-hop',
      'proxy-authenticate',
      'access-control-allow-origin',
    ]
    for (const name of dropped) {
      expect(answer.headers.has(name), name).toBe(false)
    }
  })
})

test.each([
  [COMPLETIONS, '{', 400, 'invalid_json', null],
  [COMPLETIONS, '[]', 400, 'invalid_request', null],
  [COMPLETIONS, '{"prompt":"a"} x', 400, 'invalid_json', null],
  [COMPLETIONS, '{"prompt":"a"', 400, 'invalid_json', null],
  [COMPLETIONS, '{"a":1,"prompt":"a\\ud800"}', 400, 'invalid_unicode', 'prompt'],
  [COMPLETIONS, '{}', 400, 'invalid_request', 'prompt'],
  [COMPLETIONS, '{"prompt":null}', 400, 'invalid_request', 'prompt'],
  [COMPLETIONS, '{"prompt":7}', 400, 'invalid_request', 'prompt'],
  [COMPLETIONS, '{"prompt":""}', 400, 'empty_input', 'prompt'],
  [COMPLETIONS, '{"prompt":["a",""]}', 400, 'empty_input', 'prompt.1'],
  [COMPLETIONS, '{"prompt":"a","prompt":"b"}', 400, 'invalid_request', 'prompt'],
  [COMPLETIONS, '{"prompt":"a","prompt_embeds":nul}', 400, 'invalid_json', null],
  [COMPLETIONS, '{"prompt":[1,5000]}', 422, 'token_out_of_range', 'prompt.1'],
  [COMPLETIONS, '{"prompt":"a","model":7}', 400, 'invalid_request', 'model'],
  [COMPLETIONS, '{"prompt":"a","model":"who"}', 404, 'model_not_found', 'model'],
  [COMPLETIONS, '{"prompt":"a","model":"default"}', 422, 'unsupported_combination', 'model'],
  [CHAT, '{"messages":[{"content":"a\\udc00"}]}', 400, 'invalid_unicode', 'messages.0.content'],
  [CHAT, '{"messages":[{"content":"a","content":"b"}]}', 400, 'invalid_request', 'messages.0.content'],
  [CHAT, '{"messages":[{"content":"a"}', 400, 'invalid_json', null],
  [
    ...([CHAT, '{"messages":[{"content":[{"type":"text","data":"b","text":"a"}]}]}'] as const),
    ...([400, 'invalid_request', 'messages.0.content.0.data'] as const),
  ],
])('%s %s is %i %s, and the upstream hears nothing', async (path, body, status, code, param) => {
  const before = proxied.upstream.received.length
  const answer = await proxied.post(path, body)
  const { error } = (await answer.json()) as { error: { code: string; param: string | null } }
  expect([answer.status, error.code, error.param]).toEqual([status, code, param])
  expect(proxied.upstream.received.length).toBe(before)
})
