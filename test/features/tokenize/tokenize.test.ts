import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { decodeSafetensors, ints, MEDIA_TYPES } from '../../decode.js'
import { tokenizeText } from '../../first-layer/tokens/tokenize-text.js'
import { embed, post, type TestService, testService } from '../../helper.js'
import { bytesOf } from '../../twins/tokens/text-of-ids.js'
import { tokenizedAnswer } from '../../twins/tokens/tokenized-answer.js'

const TOKENIZE = '/v1/tokenize'
const DETOKENIZE = '/v1/detokenize'
const SAFETENSORS = { accept: MEDIA_TYPES.safetensors }
/** Characters of one to four bytes, parts of characters among the tokens, and a special token. */
const TEXT = 'Zoë said "नमस्ते, 🦙"\u2028\t<|endoftext|> 中文'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

describe('/v1/tokenize as JSON', () => {
  test('is the same text whatever its length', async () => {
    const gpt2 = await loadEncoding('gpt2')
    for (const text of ['a', TEXT, TEXT.repeat(2000)]) {
      const answer = await post(service, TOKENIZE, { text })
      const ids = tokenizeText(gpt2, text, { allowedSpecial: new Set(['<|endoftext|>']) })
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(answer.body.equals(Buffer.from(tokenizedAnswer(gpt2, text, [...ids])))).toBe(true)
    }
  })

  test('takes fields of a chat that are null for absent ones', async () => {
    const nulls = { messages: null, tools: null, documents: null, chat_template_kwargs: null }
    const { status, body } = await post(service, TOKENIZE, { text: TEXT, ...nulls })
    expect(status).toBe(200)
    expect(body.equals((await post(service, TOKENIZE, { text: TEXT })).body)).toBe(true)
    expect((await post(service, TOKENIZE, nulls)).json().error).toMatchObject({ param: 'text' })
  })

  test('has its length in the header where it is short', async () => {
    const answer = await post(service, TOKENIZE, { text: TEXT })
    expect(answer.headers['content-length']).toBe(String(answer.body.length))
  })

  test('is refused beyond MAX_JSON_RESPONSE_BYTES, of which a token takes 100, with both sizes in the message', async () => {
    const text = TEXT.repeat(500)
    const { num_tokens, ...others } = (await post(service, TOKENIZE, { text, count_only: true })).json()
    const size =
      100 * num_tokens + JSON.stringify({ input_ids: 0, num_tokens, ...others, tokens: 0 }).length - 2
    const fits = await testService({ MAX_JSON_RESPONSE_BYTES: String(size) })
    const answer = await post(fits, TOKENIZE, { text })
    expect([answer.status, answer.json().tokens.length]).toEqual([200, num_tokens])
    expect(answer.body.length).toBeLessThan(size)
    await fits.close()
    const small = await testService({ MAX_JSON_RESPONSE_BYTES: String(size - 1) })
    const { status, json } = await post(small, TOKENIZE, { text })
    expect(status).toBe(413)
    expect(json().error).toMatchObject({
      code: 'response_too_large',
      message: `The answer as application/json must be at most ${size - 1} bytes. It would be ${size} bytes.`,
      param: null,
    })
    const count = await post(small, TOKENIZE, { text, count_only: true })
    expect(count.json()).toEqual({ num_tokens, num_characters: [...text].length })
    expect((await post(small, TOKENIZE, { text }, SAFETENSORS)).status).toBe(200)
    await small.close()
  })
})

describe('/v1/tokenize as safetensors', () => {
  test.each(['gpt2', 'o200k_base'] as const)('has the ids and where each token begins, %s', async (name) => {
    const encoding = await loadEncoding(name)
    for (const text of ['a', TEXT, TEXT.repeat(3000)]) {
      const answer = await post(service, TOKENIZE, { text, encoding: name }, SAFETENSORS)
      expect(answer.headers['content-type']).toBe(MEDIA_TYPES.safetensors)
      const { tensors, metadata } = decodeSafetensors(answer.body)
      const expected = [...tokenizeText(encoding, text, { allowedSpecial: new Set(['<|endoftext|>']) })]
      const n = expected.length
      expect(Object.keys(tensors)).toEqual(['input_ids', 'token_starts'])
      expect(tensors.input_ids).toMatchObject({ dtype: 'int32', shape: [n] })
      expect(tensors.token_starts).toMatchObject({ dtype: 'int32', shape: [n + 1] })
      expect([...ints(tensors.input_ids)]).toEqual(expected)
      const starts = ints(tensors.token_starts)
      let start = 0
      const wrong = expected.filter((id, i) => {
        const begins = starts[i]
        const isRight = begins === start
        start += bytesOf(encoding, [id]).length
        return !isRight
      })
      expect(wrong).toEqual([])
      expect([starts[n], start]).toEqual([Buffer.byteLength(text), Buffer.byteLength(text)])
      const counts = { num_tokens: String(n), num_characters: String([...text].length) }
      expect(metadata).toEqual({ ...counts, encoding: name })
      expect(answer.headers).toMatchObject({
        'content-length': String(answer.body.length),
        'x-num-tokens': counts.num_tokens,
        'x-num-characters': counts.num_characters,
        'server-timing': expect.stringMatching(/^tokenize;dur=/),
      })
    }
  })

  test('names the model where no encoding was asked for', async () => {
    for (const model of [{}, { model: 'default' }]) {
      const answer = await post(service, TOKENIZE, { text: 'Hello', ...model }, SAFETENSORS)
      expect(decodeSafetensors(answer.body).metadata).toEqual({
        model: 'default',
        num_tokens: '1',
        num_characters: '5',
      })
    }
  })

  test('is refused beyond MAX_RESPONSE_BYTES', async () => {
    const small = await testService({ MAX_RESPONSE_BYTES: '1000' })
    expect((await post(small, TOKENIZE, { text: 'Hello' }, SAFETENSORS)).status).toBe(200)
    const answer = await post(small, TOKENIZE, { text: ' a'.repeat(500) }, SAFETENSORS)
    expect(answer.json().error).toMatchObject({ code: 'response_too_large' })
    expect(answer.json().error.message).toMatch(
      /^The answer as application\/vnd\.safetensors must be at most 1000 bytes\./,
    )
    await small.close()
  })
})

describe('the formats of /v1/tokenize', () => {
  test.each([
    ['*/*', 'application/json; charset=utf-8'],
    ['application/vnd.safetensors', 'application/vnd.safetensors'],
    ['application/x-safetensors', 'application/x-safetensors'],
    ['application/json;q=0.1, application/x-safetensors', 'application/x-safetensors'],
    ['application/json;q=0, */*', 'application/vnd.safetensors'],
  ])('Accept %s gives %s', async (accept, type) => {
    const answer = await post(service, TOKENIZE, { text: 'Hello' }, { accept })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type])
  })

  test('other formats of tensors are refused with those that can be had', async () => {
    const { error } = (await post(service, TOKENIZE, { text: 'Hello' }, { accept: MEDIA_TYPES.npy })).json()
    expect(error).toMatchObject({ code: 'not_acceptable', param: 'accept' })
    expect(error.message).toContain(
      'application/json, application/vnd.safetensors, application/x-safetensors',
    )
  })

  test('a count alone is JSON: it is refused where JSON is', async () => {
    const body = { text: 'Hello 🦙', count_only: true }
    const both = await post(service, TOKENIZE, body, {
      accept: 'application/vnd.safetensors, application/json;q=0.1',
    })
    expect(both.json()).toEqual({ num_tokens: 4, num_characters: 7 })
    const { error } = (await post(service, TOKENIZE, body, SAFETENSORS)).json()
    expect(error).toMatchObject({ code: 'not_acceptable', param: 'accept' })
    expect(error.message).toContain('must allow one of application/json. Given')
  })
})

describe('num_characters', () => {
  const counts = async (body: object) => {
    const { outputs, model, ...rest } = (
      await embed(service, { ...body, context_length: 2, outputs: ['document_ids'] })
    ).json()
    return rest
  }

  test('is beside num_tokens if the request brought text', async () => {
    expect(await counts({ text: TEXT })).toMatchObject({ num_characters: [...TEXT].length })
    const many = await counts({ text: [TEXT, 'a🦙', TEXT.repeat(1000)] })
    expect(many.num_characters).toBe(1001 * [...TEXT].length + 2)
    expect(Object.keys(many).slice(1, 4)).toEqual(['num_tokens', 'num_characters', 'num_windows'])
    expect(Object.keys(await counts({ input_ids: [1, 2, 3] })).slice(1)).toEqual([
      ...['num_tokens', 'num_windows', 'num_dropped_tokens'],
    ])
  })

  test('is in the headers of binary answers, and in safetensors', async () => {
    const outputs = ['input_ids']
    for (const accept of [MEDIA_TYPES.npy, MEDIA_TYPES.raw, MEDIA_TYPES.safetensors]) {
      const answer = await embed(service, { text: TEXT, outputs }, { accept })
      expect(answer.headers['x-num-characters']).toBe(String([...TEXT].length))
      const ids = await embed(service, { input_ids: [1], outputs }, { accept })
      expect(ids.headers['x-num-characters']).toBeUndefined()
      if (accept !== MEDIA_TYPES.safetensors) continue
      expect(decodeSafetensors(answer.body).metadata.num_characters).toBe(String([...TEXT].length))
      expect(decodeSafetensors(ids.body).metadata).not.toHaveProperty('num_characters')
    }
  })

  test('counts raw text as it arrives', async () => {
    const text = TEXT.repeat(3000)
    const answer = await service.app.inject({
      method: 'POST',
      url: '/v1/input-embeddings?outputs=document_ids&context_length=4',
      headers: { 'content-type': 'text/plain' },
      payload: text,
    })
    expect(answer.json().num_characters).toBe([...text].length)
  })
})

describe('/v1/detokenize', () => {
  test('gives long texts back', async () => {
    const text = TEXT.repeat(5000)
    const { input_ids } = (await post(service, TOKENIZE, { text })).json()
    const answer = await post(service, DETOKENIZE, { input_ids })
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.body.toString()).toBe(JSON.stringify({ text, lossy: false }))
  })

  test('names the first id that has no text, however far back it stands', async () => {
    const input_ids = new Array(200_000).fill(0)
    input_ids[199_998] = 60_000
    input_ids[199_999] = 70_000
    const answer = await post(service, DETOKENIZE, { input_ids })
    expect(answer.status).toBe(422)
    expect(answer.json().error).toMatchObject({
      code: 'token_out_of_range',
      param: 'input_ids.199998',
      message: '`input_ids.199998` must be a token of gpt2, which has ids below 50257. Given: 60000',
    })
  })

  test('is refused beyond MAX_JSON_RESPONSE_BYTES, of which each byte of a token takes one', async () => {
    const small = await testService({ MAX_JSON_RESPONSE_BYTES: '1000' })
    const room = 1000 - '{"text":"","lossy":false}'.length
    const refused = async (input_ids: number[] | number[][]) => {
      const answer = await post(small, DETOKENIZE, { input_ids })
      expect(answer.status).toBe(413)
      expect(answer.json().error).toMatchObject({ code: 'response_too_large', param: null })
      return answer.json().error.message
    }
    const a = new Array(room).fill(64)
    expect((await post(small, DETOKENIZE, { input_ids: a })).body.length).toBe(1000)
    expect(await refused([...a, 64])).toContain('must be at most 1000 bytes. It would be about 1001 bytes.')
    expect(await refused([a, a])).toContain('must be at most 1000 bytes. It would be about 2000 bytes.')
    await small.close()
  })

  test('is refused where the escapes of JSON alone go beyond MAX_JSON_RESPONSE_BYTES', async () => {
    const small = await testService({ MAX_JSON_RESPONSE_BYTES: '1000' })
    const zeros = (count: number) => new Array(count).fill(188) // \u0000
    const continuations = (count: number) => new Array(count).fill(222) // bytes that are no UTF-8 are sent as three
    const fits = await post(small, DETOKENIZE, { input_ids: zeros(162) })
    expect([fits.status, fits.body.length]).toEqual([200, 997])
    for (const input_ids of [zeros(163), [zeros(81), zeros(82)], continuations(326)]) {
      const { status, json } = await post(small, DETOKENIZE, { input_ids })
      expect([status, json().error.message]).toEqual([
        413,
        expect.stringMatching(/at most 1000 bytes. It would be about 10\d\d bytes/),
      ])
    }
    expect((await post(small, DETOKENIZE, { input_ids: continuations(325) })).json().lossy).toBe(true)
    await small.close()
  })

  test('an id without text is told before a size', async () => {
    const small = await testService({ MAX_JSON_RESPONSE_BYTES: '1000' })
    const answer = await post(small, DETOKENIZE, { input_ids: [...new Array(2000).fill(64), 60_000] })
    expect(answer.json().error.code).toBe('token_out_of_range')
    await small.close()
  })
})
