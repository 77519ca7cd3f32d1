import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderEntries } from '../../src/models/sources/folders.js'
import { chunksAnswer } from '../../src/wire/schemas/chunks.js'
import { post, type TestService, testService } from '../helper.js'
import { checkProperty } from '../property.js'
import { tableFile } from './models/table-files.js'

/** Byte pairs with and without a normal form, WordPiece, and the kinds that the Rust library runs. */
const TOKENIZERS = [
  'gpt2',
  'qwen2',
  'roberta',
  'wordpiece-uncased',
  'wordpiece-cased',
  'sentencepiece-bpe',
  'unigram',
  'wordlevel',
]
const VOCAB = 2000

let folder: string
let service: TestService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-chunks-'))
  const config = { model_type: 'llama', vocab_size: VOCAB, hidden_size: 2, num_attention_heads: 1 }
  const table = tableFile({
    'model.embed_tokens.weight': { shape: [VOCAB, 2], numbers: new Array(2 * VOCAB).fill(0) },
  })
  for (const name of TOKENIZERS) {
    await mkdir(join(folder, name))
    const file = readFileSync(new URL(`../goldens/tokenizers/${name}.json`, import.meta.url))
    await writeFile(join(folder, name, 'config.json'), JSON.stringify(config))
    await writeFile(join(folder, name, 'model.safetensors'), table)
    await writeFile(join(folder, name, 'tokenizer.json'), file)
  }
  const folders = await folderEntries({ MODELS_DIR: folder, MODELS: undefined }, () => {})
  service = await testService({ MAX_JSON_RESPONSE_BYTES: '4000000' }, { folders })
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

interface Asked {
  readonly max_tokens: number
  readonly overlap?: number
  readonly boundary?: string
}

/** Asks for chunks of texts, all of which must tile their text. Returns the chunks' texts; undefined: `max_tokens` is too small. */
async function tiles(model: string, texts: readonly string[], asked: Asked): Promise<string[][] | undefined> {
  const answer = await post(service, '/v1/chunks', { model, text: texts, include_text: true, ...asked })
  if (answer.status === 422) {
    expect(answer.json().error.message).toMatch(/^`max_tokens` must be at least \d+: bytes/)
    return undefined
  }
  expect(answer.status, answer.body.toString()).toBe(200)
  const { chunks, documents } = chunksAnswer.parse(answer.json())
  return texts.map((text, d) => {
    const { start, num_chunks } = documents![d]
    const utf8 = Buffer.from(text)
    const characters = [...text]
    let done = 0
    const spans = chunks
      .slice(start, start + num_chunks)
      .map(({ byte_offsets, char_offsets, num_tokens, text: span }) => {
        const [first, end] = byte_offsets
        expect(first).toBeLessThanOrEqual(done)
        expect(end).toBeGreaterThan(done)
        expect(num_tokens).toBeLessThanOrEqual(asked.max_tokens)
        expect(Buffer.compare(utf8.subarray(first, end), Buffer.from(span!))).toBe(0)
        expect(characters.slice(char_offsets[0], char_offsets[1]).join('')).toBe(span)
        const fresh = utf8.subarray(done, end).toString()
        done = end
        return fresh
      })
    expect(spans.join('')).toBe(text)
    return chunks.slice(start, start + num_chunks).map((chunk) => chunk.text!)
  })
}

const word = fc.constantFrom(
  ...'the cat. Sat on, mat! naïve café Straße 東京 日本語。 कखग। привет мир? עברית عربي؟ 한국어 ไทย 🤖 👩‍👩‍👧 e\u0301 ﬁ ½ [CLS] <s> x1'.split(
    ' ',
  ),
  ...[' ', '  ', '\n', '\n\n', '\r\n', '\t', '\u00a0', '\u200b', '\u3000', '\ufeff', '\0'],
)
const text = fc.oneof(
  { weight: 4, arbitrary: fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' ')) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter((one) => one.isWellFormed()),
  },
)

describe('POST /v1/chunks', () => {
  test.each(TOKENIZERS)('%s: chunks without what they repeat are the text, byte for byte', async (model) => {
    // 8 tokenizers, 64 requests of 20 texts: 10,240 texts.
    let cut = 0
    const boundary = fc.constantFrom('token', 'line', 'sentence')
    const property = fc.asyncProperty(
      fc.array(text, { minLength: 20, maxLength: 20 }),
      fc.integer({ min: 8, max: 40 }),
      fc.nat(7),
      boundary,
      async (texts, max_tokens, overlap, by) => {
        if (await tiles(model, texts, { max_tokens, overlap, boundary: by })) cut++
      },
    )
    await checkProperty(property, 64)
    expect(cut).toBeGreaterThan(32) // in the others a character has more tokens than there may be
  })

  test('are the longest that the tokens allow, with the overlap', async () => {
    const line = 'The cat sat on the mat and the dog ran over the hill. '
    const whole = line.repeat(20)
    const [spans] = (await tiles('gpt2', [whole], { max_tokens: 30, overlap: 10 }))!
    const { input_ids } = (await post(service, '/v1/tokenize', { model: 'gpt2', text: whole })).json()
    expect(spans.length).toBe(Math.ceil((input_ids.length - 10) / 20))
    const sentences = (await tiles('gpt2', [whole], { max_tokens: 60, boundary: 'sentence' }))![0]
    for (const span of sentences) expect(span.trim()).toMatch(/^The cat.*hill\.$/)
  })

  test('a single text has no documents, and no text unless asked', async () => {
    const body = { text: 'Hello, world! Good morning.', max_tokens: 4, encoding: 'gpt2' }
    const answer = (await post(service, '/v1/chunks', body)).json()
    expect(chunksAnswer.parse(answer)).toEqual({
      num_tokens: 7,
      num_chunks: 2,
      chunks: [
        { byte_offsets: [0, 13], char_offsets: [0, 13], num_tokens: 4 },
        { byte_offsets: [13, 27], char_offsets: [13, 27], num_tokens: 3 },
      ],
    })
  })

  test('a long text, cut from any body', async () => {
    const long = 'naïve café 東京。 The cat sat.\n'.repeat(20_000)
    const answer = await post(service, '/v1/chunks', { text: long, encoding: 'cl100k_base', max_tokens: 512 })
    const { chunks } = chunksAnswer.parse(answer.json())
    const utf8 = Buffer.from(long)
    const joined = chunks.map(({ byte_offsets: [first, end] }) => utf8.subarray(first, end))
    expect(Buffer.concat(joined).equals(utf8)).toBe(true)
    expect(chunks.at(-1)?.char_offsets[1]).toBe(long.length)
  })

  test.each([
    ['no size', { text: 'a' }, 400, 'max_tokens', /needed/],
    ['no tokens', { text: 'a', max_tokens: 0 }, 400, 'max_tokens', /at least 1.*0/],
    [
      'an overlap as large',
      { text: 'a', max_tokens: 4, overlap: 4 },
      400,
      'overlap',
      /below `max_tokens` 4.*4/,
    ],
    ['another boundary', { text: 'a', max_tokens: 4, boundary: 'word' }, 400, 'boundary', /"word"/],
    ['ids', { text: [1], max_tokens: 4 }, 400, 'text.0', /string/],
    ['an empty text', { text: ['a', ''], max_tokens: 4 }, 400, 'text.1', /empty/],
    [
      'two tokenizers',
      { text: 'a', max_tokens: 4, model: 'gpt2', encoding: 'gpt2' },
      400,
      'encoding',
      /beside/,
    ],
    ['another model', { text: 'a', max_tokens: 4, model: 'x' }, 404, null, /x/],
    [
      'a large character',
      { text: ['a', '🦙'], max_tokens: 2, encoding: 'gpt2' },
      422,
      'max_tokens',
      /at least 3.*text\.1/,
    ],
    [
      'too long an answer',
      { text: 'a b '.repeat(60_000), max_tokens: 1, encoding: 'gpt2' },
      413,
      null,
      /4000000/,
    ],
  ] as const)('refuses %s', async (_, body, status, param, says) => {
    const answer = await post(service, '/v1/chunks', body)
    const { error } = answer.json()
    expect([answer.status, error.message]).toEqual([status, expect.stringMatching(says)])
    if (param !== null) expect(error.param).toBe(param)
  })
})
