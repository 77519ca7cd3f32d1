import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.js'
import { ENCODING_NAMES } from '../../src/first-layer/tokens/encodings.js'
import { embed, post, type TestService, testService } from '../helper.js'

interface Expected {
  readonly n_vocab: number
  readonly special_tokens: Record<string, number>
  readonly strings: number[][]
  readonly strings_all_special: Record<string, number[]>
}
const golden: { strings: string[]; encodings: Record<string, Expected> } = JSON.parse(
  readFileSync(new URL('../goldens/tiktoken.json', import.meta.url), 'utf8'),
)

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

describe.each(ENCODING_NAMES)('%s, whatever the model’s own encoding is,', (encoding) => {
  const expected = golden.encodings[encoding]

  test('gives tiktoken’s ids, and the text back', async () => {
    for (const [i, text] of golden.strings.entries()) {
      const answer = await post(service, '/v1/tokenize', { text, encoding, allowed_special: [] })
      const { input_ids, num_tokens, tokens } = answer.json()
      expect(input_ids, JSON.stringify(text)).toEqual(expected.strings[i])
      expect(num_tokens).toBe(input_ids.length)
      const bytes = Buffer.concat(
        tokens.map((token: { bytes: string }) => Buffer.from(token.bytes, 'base64')),
      )
      expect(bytes.toString()).toBe(text)
      const back = await post(service, '/v1/detokenize', { input_ids, encoding })
      expect(back.json()).toEqual({ text, lossy: false })
    }
  })

  test('has its special tokens', async () => {
    for (const [i, input_ids] of Object.entries(expected.strings_all_special)) {
      const text = golden.strings[Number(i)]
      const answer = await post(service, '/v1/tokenize', { text, encoding, allowed_special: 'all' })
      expect(answer.json().input_ids).toEqual(input_ids)
    }
    const literals = Object.keys(expected.special_tokens)
    const text = literals.map((literal) => `${literal}a${literal}`).join('')
    const one = await post(service, '/v1/tokenize', { text, encoding, allowed_special: [literals[0]] })
    const found = one
      .json()
      .input_ids.filter((id: number) => Object.values(expected.special_tokens).includes(id))
    const id = expected.special_tokens[literals[0]]
    expect(found).toEqual([id, id])
  })

  test('counts alone where that is asked', async () => {
    const answer = await post(service, '/v1/tokenize', { text: 'one two three', encoding, count_only: true })
    expect(answer.json()).toEqual({ num_tokens: 3, num_characters: 13 })
  })

  test('can be the default model’s', async () => {
    const own = await testService({ ENCODING: encoding, EMBEDDING_DIM: '1' })
    const model = (await own.app.inject('/v1/models/default')).json()
    expect(model).toMatchObject({ encoding, vocab_size: expected.n_vocab })
    const text = golden.strings[0]
    const answer = await embed(own, { text, outputs: ['input_ids'], allowed_special: [] })
    expect(answer.json().outputs.input_ids.data).toEqual([expected.strings[0]])
    await own.close()
  })
})

test.each(['/v1/tokenize', '/v1/detokenize'])(
  '%s refuses what it cannot tell apart or does not know',
  async (url) => {
    const given = url === '/v1/tokenize' ? { text: 'a' } : { input_ids: [1] }
    for (const encoding of ['gpt3', '', '__proto__', 'GPT2']) {
      const answer = await post(service, url, { ...given, encoding })
      expect(answer.status).toBe(404)
      expect(answer.json().error).toMatchObject({
        type: 'not_found_error',
        code: 'model_not_found',
        param: 'encoding',
        message: `\`encoding\` must be one of ${ENCODING_NAMES.join(', ')}. Given: ${JSON.stringify(encoding)}`,
      })
    }
    const model = await post(service, url, { ...given, model: 'gpt5' })
    expect(model.status).toBe(404)
    expect(model.json().error).toMatchObject({ code: 'model_not_found', param: 'model' })
    const both = await post(service, url, { ...given, model: 'default', encoding: 'gpt2' })
    expect(both.status).toBe(400)
    expect(both.json().error).toMatchObject({ code: 'invalid_request', param: 'encoding' })
  },
)

test('a special token of another encoding is refused by name', async () => {
  const body = { text: 'a', encoding: 'gpt2', allowed_special: ['<|endoftext|>', '<|fim_prefix|>'] }
  const { error } = (await post(service, '/v1/tokenize', body)).json()
  expect(error).toEqual({
    type: 'invalid_request_error',
    code: 'invalid_request',
    message: '`allowed_special.1` must be one of <|endoftext|>. Given: "<|fim_prefix|>"',
    param: 'allowed_special.1',
  })
})

test('ENCODING must be one that is there', () => {
  expect(() => readConfig({ ENCODING: 'gpt3' })).toThrow(/^ENCODING must be one of gpt2, /)
})

test.each([
  ['cl100k_base', 100_256, 'no text for this id'],
  ['o200k_base', 199_998, 'no text for this id'],
  ['cl100k_base', 100_277, 'ids below 100277'],
])('an id of %s without text, %i, is refused with the reason: %s', async (encoding, id, reason) => {
  const answer = await post(service, '/v1/detokenize', { input_ids: [id], encoding })
  expect(answer.status).toBe(422)
  expect(answer.json().error.code).toBe('token_out_of_range')
  expect(answer.json().error.message).toContain(`has ${reason}. Given: ${id}`)
})
