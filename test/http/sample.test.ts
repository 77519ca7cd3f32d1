import { get_encoding } from 'tiktoken'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decodeNpy, decodeSafetensors, floats, ints, MEDIA_TYPES } from '../decode.js'
import { sampleText, sha256 } from '../goldens.js'
import { embed, post, type TestService, testService } from '../helper.js'
import { twinWindows } from '../twins/windows.js'

const text = sampleText()
let ids: number[]
let service: TestService
beforeAll(async () => {
  const tiktoken = get_encoding('gpt2')
  ids = [...tiktoken.encode_ordinary(text)]
  tiktoken.free()
  service = await testService({ EMBEDDING_DIM: '256' }) // the default model
})
afterAll(() => service.close())

test('the sample has what a text can have: several scripts, an emoji, digits, a few thousand bytes', () => {
  expect(Buffer.byteLength(text)).toBeGreaterThan(3000)
  expect(text).toMatch(/\p{Script=Greek}/u)
  expect(text).toMatch(/\p{Script=Cyrillic}/u)
  expect(text).toMatch(/\p{Script=Han}/u)
  expect(text).toMatch(/\p{Emoji_Presentation}/u)
})

test('its windows are those of tiktoken’s ids', async () => {
  const call = { text, context_length: 32, stride: 24, tail: 'pad', outputs: ['input_ids', 'target_ids'] }
  const { tensors, metadata } = decodeSafetensors(
    (await embed(service, call, { accept: MEDIA_TYPES.safetensors })).body,
  )
  const { windows } = twinWindows([ids], { contextLength: 32, stride: 24, tail: 'pad', padTokenId: 50256 })
  expect(Number(metadata.num_tokens)).toBe(ids.length)
  expect([...ints(tensors.input_ids)]).toEqual(windows.flatMap(({ inputs }) => inputs))
  expect([...ints(tensors.target_ids)]).toEqual(windows.flatMap(({ targets }) => targets))
})

test('the README’s file call gives the first batch of eight windows', async () => {
  const url = '/v1/input-embeddings?context_length=4&stride=4&batch_size=8&batch_index=0'
  const answer = await post(service, url, text, { 'content-type': 'text/plain', accept: MEDIA_TYPES.npy })
  const array = decodeNpy(answer.body)
  expect(array).toMatchObject({ dtype: 'float32', shape: [8, 4, 256] })
  const byIds = await embed(
    service,
    { input_ids: ids.slice(0, 33), context_length: 4 },
    { accept: MEDIA_TYPES.npy },
  )
  expect(sha256(array.bytes)).toBe(sha256(decodeNpy(byIds.body).bytes))
  expect(floats(array).every(Number.isFinite)).toBe(true)
})

test('tokens and their text put the sample together again', async () => {
  const { input_ids, tokens } = (await post(service, '/v1/tokenize', { text })).json()
  expect(input_ids).toEqual(ids)
  const bytes = Buffer.concat(tokens.map((token: { bytes: string }) => Buffer.from(token.bytes, 'base64')))
  expect(bytes.toString('utf8')).toBe(text)
  expect((await post(service, '/v1/detokenize', { input_ids })).json()).toEqual({ text, lossy: false })
})
