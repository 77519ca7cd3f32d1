import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytePairTokenizer } from '../../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { RustLibrary } from '../../../src/first-layer/tokens/rust/rust-library.js'
import { rustTokenizer } from '../../../src/first-layer/tokens/rust/rust-tokenizer.js'
import type { Tokenizer } from '../../../src/first-layer/tokens/tokenizer.js'
import { readTokenizerFiles } from '../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { wordPieceTokenizer } from '../../../src/first-layer/tokens/wordpiece/wordpiece-tokenizer.js'
import { decodeSafetensors, ints, MEDIA_TYPES } from '../../decode.js'
import { bytePairSpec, tokenizerFile } from '../../first-layer/tokens/byte-pair/files.js'
import { hasRustLibrary, tokenizerFile as tokenizerText } from '../../first-layer/tokens/rust-library.js'
import { tokenizerTexts } from '../../first-layer/tokens/tokenizer-texts.js'
import { post, type TestService, testService } from '../../helper.js'
import { checkProperty } from '../../property.js'

const TOKENIZE = '/v1/tokenize'
const SAFETENSORS = { accept: MEDIA_TYPES.safetensors }
const TEXT = 'Zoë said "नमस्ते, 🦙"\u2028\t<|endoftext|> 中文'
/** Texts of one token and of many, so that blocks of ids and of JSON end within texts and between them. */
const MANY = [
  ...Array.from({ length: 18 }, (_, i) => `${TEXT.slice(0, 1 + (i % 9))} ${i}`),
  TEXT.repeat(200),
  ...['a', '\u0301', ' ', TEXT],
  ...Array.from({ length: 1030 }, () => 'a'),
]

/** Calls for each text by itself, and for the list of them. */
interface Calls {
  readonly texts: readonly string[]
  readonly fields: object
}

/** Answers by text: the same text is asked for once. */
function kept<Answer>(ask: (text: string) => Promise<Answer>): (text: string) => Promise<Answer> {
  const answers = new Map<string, Promise<Answer>>()
  return (text) => {
    const answer = answers.get(text) ?? ask(text)
    answers.set(text, answer)
    return answer
  }
}

/** The answer to a list is that of one call a text, one after the other, to the byte. */
async function expectJson(service: TestService, { texts, fields }: Calls): Promise<void> {
  const input_ids: number[] = []
  const tokens: object[] = []
  const documents: object[] = []
  let num_characters = 0
  const ask = kept(async (text) => (await post(service, TOKENIZE, { ...fields, text })).json())
  for (const text of texts) {
    const one = await ask(text)
    const { num_tokens } = one
    documents.push({ start: input_ids.length, num_tokens, num_characters: one.num_characters })
    for (const id of one.input_ids) input_ids.push(id)
    for (const token of one.tokens) tokens.push(token)
    num_characters += one.num_characters
  }
  const num_tokens = input_ids.length
  const answer = await post(service, TOKENIZE, { ...fields, text: texts })
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  const expected = JSON.stringify({ input_ids, num_tokens, num_characters, tokens, documents })
  expect(answer.body.equals(Buffer.from(expected)), answer.body.toString().slice(0, 300)).toBe(true)
  const counted = await post(service, TOKENIZE, { ...fields, text: texts, count_only: true })
  expect(counted.body.toString()).toBe(JSON.stringify({ num_tokens, num_characters, documents }))
}

async function expectTensors(service: TestService, { texts, fields }: Calls): Promise<void> {
  const input_ids: number[] = []
  const token_ranges: number[] = []
  const document_starts = [0]
  let characters = 0
  const ask = kept(async (text) =>
    decodeSafetensors((await post(service, TOKENIZE, { ...fields, text }, SAFETENSORS)).body),
  )
  for (const text of texts) {
    const { tensors, metadata } = await ask(text)
    for (const id of ints(tensors.input_ids!)) input_ids.push(id)
    document_starts.push(input_ids.length)
    characters += Number(metadata.num_characters)
    if (tensors.token_ranges !== undefined) {
      for (const place of ints(tensors.token_ranges)) token_ranges.push(place)
    } else {
      const starts = ints(tensors.token_starts!)
      for (let i = 0; i + 1 < starts.length; i++) token_ranges.push(starts[i]!, starts[i + 1]!)
    }
  }
  const answer = await post(service, TOKENIZE, { ...fields, text: texts }, SAFETENSORS)
  expect(answer.headers['content-length']).toBe(String(answer.body.length))
  const { tensors, metadata } = decodeSafetensors(answer.body)
  const n = input_ids.length
  expect(Object.entries(tensors).map(([name, { dtype, shape }]) => [name, dtype, shape])).toEqual([
    ['input_ids', 'int32', [n]],
    ['token_ranges', 'int32', [n, 2]],
    ['document_starts', 'int32', [texts.length + 1]],
  ])
  const same = (name: string, numbers: readonly number[]) =>
    expect(
      Buffer.from(ints(tensors[name]!).buffer).equals(Buffer.from(Int32Array.from(numbers).buffer)),
    ).toBe(true)
  same('input_ids', input_ids)
  same('token_ranges', token_ranges)
  same('document_starts', document_starts)
  expect(metadata).toMatchObject({ num_tokens: String(n), num_characters: String(characters) })
  expect(answer.headers['x-num-tokens']).toBe(String(n))
}

function wordPiece(): Tokenizer {
  const file = readTokenizerFiles({ tokenizer: tokenizerText('wordpiece-uncased') })
  if (file.kind !== 'wordpiece') throw new Error(`not for us: ${file.kind}`)
  return wordPieceTokenizer(file.spec)
}

const bytePair = (file: unknown) => bytePairTokenizer(bytePairSpec(file))

function withLongToken() {
  const file = tokenizerFile('gpt2')
  file.added_tokens.push({ id: 1200, content: `<${'x'.repeat(5000)}>`, special: true })
  return file
}

const KINDS: Readonly<Record<string, () => Tokenizer | Promise<Tokenizer>>> = {
  'bytes of the text': () => bytePair(tokenizerFile('gpt2')),
  'bytes, some of great length': () => bytePair(withLongToken()),
  'a blank in front, special tokens around': () => bytePair(tokenizerFile('roberta')),
  'special tokens around': () => bytePair(tokenizerFile('llama3')),
  'normal form': () => bytePair(tokenizerFile('qwen2')),
  WordPiece: wordPiece,
}

describe.each(Object.entries(KINDS))('a list of texts, by a tokenizer of: %s', (_, tokenizerOf) => {
  let service: TestService
  beforeAll(async () => {
    const tokenizer = await tokenizerOf()
    service = await testService({}, { encoding: () => tokenizer })
  })
  afterAll(() => service.close())

  test('is answered as one call a text, in every form', async () => {
    const texts = fc.array(
      tokenizerTexts.filter((text) => text !== '' && text.isWellFormed()),
      { minLength: 1, maxLength: 5 },
    )
    await checkProperty(
      fc.asyncProperty(texts, fc.boolean(), fc.boolean(), async (texts, add_special_tokens, none) => {
        const fields = { add_special_tokens, ...(none && { allowed_special: [] }) }
        await expectJson(service, { texts, fields })
        await expectTensors(service, { texts, fields })
      }),
      4,
    )
  })

  test('is answered so for thousands of texts, one of them long', async () => {
    await expectJson(service, { texts: MANY, fields: { add_special_tokens: true } })
    await expectTensors(service, { texts: MANY, fields: {} })
  })
})

describe('a list of texts, by the encodings', () => {
  let service: TestService
  beforeAll(async () => {
    service = await testService({ MAX_DOCUMENTS: '5000' })
  })
  afterAll(() => service.close())

  test.each(['gpt2', 'o200k_base'])('is answered as one call a text, %s', async (encoding) => {
    const calls = { texts: [TEXT, 'a', TEXT.repeat(900), '🦙', '\u0000'], fields: { encoding } }
    await expectJson(service, calls)
    await expectTensors(service, calls)
  })

  test('has `documents` though it has one text; a string has none', async () => {
    const one = { num_tokens: 1, num_characters: 5 }
    const list = (await post(service, TOKENIZE, { text: ['Hello'] })).json()
    expect(list).toMatchObject({ input_ids: [15496], documents: [{ start: 0, ...one }] })
    expect((await post(service, TOKENIZE, { text: 'Hello' })).json()).not.toHaveProperty('documents')
    expect((await post(service, TOKENIZE, { text: 'Hello', count_only: true })).json()).toEqual(one)
  })

  test.each([
    ['no texts', [], 'empty_input', 'text'],
    ['an empty text', ['a', 'b', 'c', ''], 'empty_input', 'text.3'],
    ['a text that is none', ['a', 7], 'invalid_request', 'text.1'],
    ['a list in the list', [['a']], 'invalid_request', 'text.0'],
    ['a lone surrogate', ['a', '\ud800'], 'invalid_unicode', 'text.1'],
    ['too many texts', Array(5001).fill('a'), 'invalid_request', 'text'],
  ])('%s: refused by its name', async (_, text, code, param) => {
    for (const count_only of [false, true]) {
      const { error } = (await post(service, TOKENIZE, { text, count_only })).json()
      expect(error).toMatchObject({ code, param })
    }
    expect((await post(service, TOKENIZE, { text }, SAFETENSORS)).json().error.code).toBe(code)
  })

  test('counts all tokens of the request in its log line', async () => {
    const before = service.log.lines.length
    await post(service, TOKENIZE, { text: ['Hello', 'Hello, world!'] })
    const line = service.log.lines.slice(before).find(({ msg }) => msg === 'request')
    expect(line).toMatchObject({ numTokens: 5 })
  })
})

describe('the size of the answer to a list', () => {
  const texts = Array.from({ length: 300 }, (_, i) => `${i < 20 ? TEXT : 'a'} ${i}`)

  test.each([[{}], [{ count_only: true }]])('is limited, %o', async (fields) => {
    const body = { text: texts, ...fields }
    const large = await testService()
    const answer = await post(large, TOKENIZE, body)
    await large.close()
    const { num_tokens } = answer.json()
    const ofAll = ('count_only' in fields ? 0 : 100 * num_tokens) + 70 * texts.length
    const around = { num_tokens, num_characters: answer.json().num_characters, documents: 0 }
    const both = 'count_only' in fields ? around : { input_ids: 0, ...around, tokens: 0 }
    const size = ofAll + JSON.stringify(both).length - (Object.keys(both).length - 2)
    expect(answer.body.length).toBeLessThan(size)
    const fits = await testService({ MAX_JSON_RESPONSE_BYTES: String(size) })
    expect((await post(fits, TOKENIZE, body)).body.equals(answer.body)).toBe(true)
    await fits.close()
    const small = await testService({ MAX_JSON_RESPONSE_BYTES: String(size - 1) })
    const { status, json } = await post(small, TOKENIZE, body)
    expect([status, json().error.code]).toEqual([413, 'response_too_large'])
    expect(json().error.message).toContain(`at most ${size - 1} bytes. It would be ${size} bytes.`)
    await small.close()
  })
})

test.skipIf(!hasRustLibrary)(
  'texts of which the library makes no token are documents of none, in every form',
  async () => {
    const json = JSON.parse(tokenizerText('wordlevel'))
    const normalizer = { type: 'Replace', pattern: { Regex: '[\\s\u0301]' }, content: '' }
    const file = readTokenizerFiles({ tokenizer: JSON.stringify({ ...json, normalizer }) })
    if (file.kind !== 'foreign') throw new Error(`not for the library: ${file.kind}`)
    const library = new RustLibrary()
    const tokenizer = rustTokenizer(library, { key: 'a', json: Buffer.from(file.json) }, file.spec)
    const service = await testService({}, { encoding: () => tokenizer })
    await expectJson(service, { texts: [' ', '\n', '\u0301'], fields: {} })
    await expectTensors(service, { texts: [' ', '\n', '\u0301'], fields: {} })
    await expectTensors(service, { texts: [' ', 'the', '\n'], fields: {} })
    await service.close()
    library.end()
  },
)

test('a text that its tokenizer cannot hold is named', async () => {
  const tokenizer = Object.assign(wordPiece(), { maxTextBytes: 5, encodeShort: undefined })
  const service = await testService({}, { encoding: () => tokenizer })
  const refusal = async (text: unknown) => (await post(service, TOKENIZE, { text })).json().error
  const rule = 'must be at most 5 bytes for the model’s tokenizer. Given: 6 or more'
  expect(await refusal(['a', 'b', 'abcdef'])).toMatchObject({
    ...{ code: 'body_too_large', message: `\`text.2\` ${rule}`, param: 'text.2' },
  })
  expect(await refusal('abcdef')).toMatchObject({ message: `\`text\` ${rule}`, param: 'text' })
  await service.close()
})
