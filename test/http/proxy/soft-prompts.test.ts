import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTorchFile } from '../../torch-file.js'
import { tableFile } from '../models/table-files.js'
import { Proxied, ROWS } from './proxied.js'

const COMPLETIONS = '/v1/completions'
const CHAT = '/v1/chat/completions'
const ADMIN = { authorization: 'Bearer admin-s3cret' }
const SOFT = Array.from({ length: 3 * 4 }, (_, i) => 100 + i)

let proxied: Proxied
let bf16: Proxied
beforeAll(async () => {
  const env = { DEFAULT_MODEL: 'llama', ADMIN_KEY: 'admin-s3cret' }
  proxied = await Proxied.start(env, { max_position_embeddings: 12 })
  bf16 = await Proxied.start(env, {
    model_type: 'gemma',
    dtype: 'bfloat16',
    num_key_value_heads: 1,
    head_dim: 4,
  })
  for (const each of [proxied, bf16]) {
    const answer = await fetch(`${each.url}/v1/models/llama/prompts/tone`, {
      method: 'PUT',
      headers: { ...ADMIN, 'content-type': 'application/vnd.safetensors' },
      body: new Uint8Array(tableFile({ prompt_embeddings: { shape: [3, 4], numbers: SOFT } })),
    })
    expect(answer.status, await answer.text()).toBe(201)
  }
})
afterAll(() => Promise.all([proxied.close(), bf16.close()]))

/** The rows of a string of base64, four numbers each. */
function rowsOf(base64: string): number[][] {
  const { bytes, shape, storage } = readTorchFile(Buffer.from(base64, 'base64'))
  expect(storage).toBe('torch.FloatStorage')
  const numbers = [...new Float32Array(new Uint8Array(bytes).buffer)]
  return Array.from({ length: shape[0]! }, (_, t) => numbers.slice(4 * t, 4 * t + 4))
}

const soft = [0, 1, 2].map((row) => SOFT.slice(4 * row, 4 * row + 4))
const stored = (ids: readonly number[]) => ids.map((id) => [...ROWS.slice(4 * id, 4 * id + 4)])

async function passed(path: string, body: string | object): Promise<string> {
  const answer = await proxied.post(path, body)
  expect(await answer.text()).toBe('{"choices":[]}')
  const received = proxied.upstream.received.at(-1)!
  expect(received.headers['content-length']).toBe(String(Buffer.byteLength(received.body)))
  return received.body
}

describe('a completion', () => {
  test.each([
    ['first', '{"soft_prompt" : "tone" , "prompt":[5,6],"n":1}', /^\{ "prompt_embeds":"[^"]+","n":1\}$/],
    [
      'behind the prompt',
      '{"prompt":[5,6], "soft_prompt":"tone","n":1}',
      /^\{"prompt_embeds":"[^"]+", "n":1\}$/,
    ],
    ['last', '{"n":1,"prompt":[5,6] ,\n"soft_prompt":"tone" }', /^\{"n":1,"prompt_embeds":"[^"]+" {2}\}$/],
    [
      'beside null',
      '{"prompt_embeds":null,"soft_prompt":"tone","prompt":[5,6]}',
      /^\{"prompt":null,"prompt_embeds":"[^"]+"\}$/,
    ],
  ])('whose name stands %s has the rows before the text’s, and no name', async (_, body, wanted) => {
    const sent = await passed(COMPLETIONS, body)
    expect(sent).toMatch(wanted)
    expect(rowsOf(JSON.parse(sent).prompt_embeds)).toEqual([...soft, ...stored([5, 6])])
  })

  test('of texts has them before each', async () => {
    const prompt = ['a b', 'c']
    for (const body of [
      { prompt, soft_prompt: 'tone' },
      { soft_prompt: 'tone', prompt, user: 'x' },
    ]) {
      const { prompt_embeds, ...rest } = JSON.parse(await passed(COMPLETIONS, body))
      const ids = await Promise.all(prompt.map((text) => proxied.ids(text, true)))
      expect((prompt_embeds as string[]).map(rowsOf)).toEqual(ids.map((each) => [...soft, ...stored(each)]))
      expect(rest).toEqual('user' in body ? { user: 'x' } : {})
    }
  })

  test('counts them against the model’s positions', async () => {
    const nine = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    await passed(COMPLETIONS, { prompt: nine, soft_prompt: 'tone' })
    await passed(COMPLETIONS, { prompt: [...nine, 10] })
    const answer = await proxied.post(COMPLETIONS, { prompt: [...nine, 10], soft_prompt: 'tone' })
    const { error } = (await answer.json()) as { error: { code: string; message: string } }
    expect([answer.status, error.code]).toEqual([422, 'context_too_long'])
    expect(error.message).toMatch(/12.*Given: 13/)
  })

  test('without a name goes on as before', async () => {
    const sent = await passed(COMPLETIONS, '{"prompt":[5],"soft_prompt":null}')
    expect(sent).toMatch(/^\{"prompt_embeds":"[^"]+","soft_prompt":null\}$/)
    expect(rowsOf(JSON.parse(sent).prompt_embeds)).toEqual(stored([5]))
  })

  test.each([
    [{ prompt: [5], soft_prompt: 'none' }, 404, 'prompt_not_found', 'soft_prompt'],
    [{ prompt: [5], soft_prompt: 7 }, 400, 'invalid_request', 'soft_prompt'],
    [{ prompt_embeds: 'AAAA', soft_prompt: 'tone' }, 400, 'invalid_request', 'soft_prompt'],
    [{ soft_prompt: 'tone' }, 400, 'invalid_request', 'prompt'],
  ])('%j is %i %s', async (body, status, code, param) => {
    const answer = await proxied.post(COMPLETIONS, body)
    const { error } = (await answer.json()) as { error: { code: string; param: string } }
    expect([answer.status, error.code, error.param]).toEqual([status, code, param])
  })

  test('that names it twice is refused', async () => {
    const answer = await proxied.post(COMPLETIONS, '{"prompt":[5],"soft_prompt":"tone","soft_prompt":"x"}')
    expect(((await answer.json()) as { error: { param: string } }).error.param).toBe('soft_prompt')
  })

  test('of a model that multiplies its own rows leaves the soft prompt’s as they are, in the model’s type', async () => {
    const answer = await bf16.post(COMPLETIONS, { prompt: [5, 6], soft_prompt: 'tone' })
    expect(answer.status).toBe(200)
    const { prompt_embeds } = JSON.parse(bf16.upstream.received.at(-1)!.body)
    const { bytes, shape, storage } = readTorchFile(Buffer.from(prompt_embeds, 'base64'))
    expect([storage, shape]).toEqual(['torch.BFloat16Storage', [5, 4]])
    const words = new Uint16Array(new Uint8Array(bytes).buffer)
    const wide = new Float32Array(Uint32Array.from(words, (word) => word << 16).buffer)
    expect([...wide.slice(0, 12)]).toEqual(SOFT) // bfloat16 has all of these numbers
    const alone = await bf16.post('/v1/prompt-embeds', { input_ids: [5, 6] })
    const own = readTorchFile(
      Buffer.from(((await alone.json()) as { prompt_embeds: string[] }).prompt_embeds[0]!, 'base64'),
    )
    expect(Buffer.from(bytes).subarray(24).equals(own.bytes)).toBe(true)
  })
})

describe('a chat', () => {
  test('has them before its first text, and nowhere else', async () => {
    const messages = [
      { role: 'system', content: '' },
      { role: 'system', content: 'a b' },
      { role: 'user', content: [{ type: 'text', text: 'c' }] },
    ]
    for (const body of [
      { prompt: 'tone', messages },
      { messages, prompt: 'tone', n: 1 },
    ]) {
      const sent = JSON.parse(await passed(CHAT, body))
      expect(Object.keys(sent)).toEqual(Object.keys(body).filter((key) => key !== 'prompt'))
      expect(sent.messages[0]).toEqual(messages[0])
      const [first, second] = [sent.messages[1], sent.messages[2]].map(({ content }) =>
        rowsOf(content[0].data),
      )
      expect(first).toEqual([...soft, ...stored(await proxied.ids('a b', false))])
      expect(second).toEqual(stored(await proxied.ids('c', false)))
    }
  })

  test.each([
    [{ prompt: 'none', messages: [{ role: 'user', content: 'a' }] }, 404, 'prompt_not_found', 'prompt'],
    [{ prompt: 'tone', messages: [] }, 400, 'empty_input', 'messages'],
    [{ prompt: ['tone'], messages: [] }, 400, 'invalid_request', 'prompt'],
    [
      { prompt: 'tone', messages: [{ role: 'user', content: 'a b c d e f g h i j' }] },
      422,
      'context_too_long',
      'messages',
    ],
  ])('%j is %i %s', async (body, status, code, param) => {
    const answer = await proxied.post(CHAT, body)
    const { error } = (await answer.json()) as { error: { code: string; param: string } }
    expect([answer.status, error.code, error.param]).toEqual([status, code, param])
  })
})
