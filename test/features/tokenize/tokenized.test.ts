import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tokenizedJson } from '../../../src/features/tokenize/tokenized.js'
import { bytePairTokenizer } from '../../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import { bytesOfToken } from '../../../src/first-layer/tokens/vocabulary.js'
import { collect } from '../../collect.js'
import { bytePairSpec, tokenizerFile } from '../../first-layer/tokens/byte-pair/files.js'
import { DIFFERENT } from '../../first-layer/tokens/expect-same-ids.js'
import {
  randomLongText,
  randomNumbers,
  randomText,
  seedOfThisRun,
} from '../../first-layer/tokens/random-texts.js'
import { tokenizeText } from '../../first-layer/tokens/tokenize-text.js'
import { checkProperty, stride } from '../../property.js'
import { tokenizedAnswer } from '../../twins/tokens/tokenized-answer.js'

const MAX_BLOCK_BYTES = 1 << 18

/** Texts with all that JSON escapes, parts of characters and special tokens. */
const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'"\\\n\0\x1f\x7f\u2028\u2029\ufeff\ufffd/', "'", '\\"'),
    fc.constantFrom('🦙', '👩‍👩‍👧', '中文', 'नमस्ते', '<|endoftext|>', '<|endofprompt|>', ' the', '    '),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
  ),
  minLength: 1,
  maxLength: 40,
})

describe.each(DIFFERENT)('%s', (name) => {
  test('answers what the twin answers, to the byte', async () => {
    const encoding = await loadEncoding(name)
    const sets = [new Set<string>(), new Set(encoding.specialTokens.keys())]
    await checkProperty(
      fc.asyncProperty(texts, fc.constantFrom(...sets), async (text, allowed) => {
        const ids = tokenizeText(encoding, text, { allowedSpecial: allowed })
        const { body } = tokenizedJson(encoding, ids)
        const { bytes } = await collect(body)
        expect(bytes.toString()).toBe(tokenizedAnswer(encoding, text, [...ids]))
      }),
      15,
    )
  })

  test('answers so on texts of many blocks', async () => {
    const encoding = await loadEncoding(name)
    const random = randomNumbers(seedOfThisRun())
    for (const text of [randomText(random, 2000), randomLongText(random, 3000), '\x01'.repeat(3000)]) {
      const ids = tokenizeText(encoding, text, { allowedSpecial: new Set() })
      const { body } = tokenizedJson(encoding, ids)
      const { bytes, blocks } = await collect(body)
      expect(bytes.equals(Buffer.from(tokenizedAnswer(encoding, text, [...ids])))).toBe(true)
      expect(Math.max(...blocks)).toBeLessThanOrEqual(MAX_BLOCK_BYTES)
    }
  })

  test('answers so for tokens from all over the vocabulary', async () => {
    const encoding = await loadEncoding(name)
    const ids = new TokenBuffer()
    for (let id = 0; id < encoding.vocabSize; id += stride(16))
      if (bytesOfToken(encoding.vocabulary, id)) ids.push(id)
    const { body } = tokenizedJson(encoding, ids)
    const { bytes } = await collect(body)
    const expected = tokenizedAnswer(encoding, '', [...ids])
    expect(bytes.equals(Buffer.from(expected))).toBe(true)
  })
})

describe('where blocks of ids meet', () => {
  // A comma that is missing there makes one number of two, and the JSON stays valid.
  test('no two ids become one', async () => {
    const gpt2 = await loadEncoding('gpt2')
    const text = ' a'.repeat(70_000)
    const ids = tokenizeText(gpt2, text, { allowedSpecial: new Set() })
    const { bytes, blocks } = await collect(tokenizedJson(gpt2, ids).body)
    const { input_ids, num_tokens, num_characters, tokens } = JSON.parse(bytes.toString())
    expect([input_ids.length, tokens.length, num_tokens, num_characters]).toEqual([
      70_000, 70_000, 70_000, 140_000,
    ])
    expect(new Set(input_ids)).toEqual(new Set([257]))
    for (const [i, token] of tokens.entries()) {
      if (token.id !== 257 || token.start !== 2 * i || token.end !== 2 * i + 2)
        expect(token).toEqual({ id: 257, bytes: 'IGE=', text: ' a', start: 2 * i, end: 2 * i + 2 })
    }
    expect(blocks.length).toBeGreaterThan(50)
  })

  test.each([65_536, 65_537, 1023, 1024, 1025, 1])('%i ids of one digit', async (count) => {
    const gpt2 = await loadEncoding('gpt2')
    const ids = TokenBuffer.of(new Int32Array(count))
    const { body } = tokenizedJson(gpt2, ids)
    const { bytes } = await collect(body)
    expect(bytes.equals(Buffer.from(tokenizedAnswer(gpt2, '', [...ids])))).toBe(true)
  })
})

test('tokens of great length come a few at a time, so that no turn is long', async () => {
  const file = tokenizerFile('gpt2')
  const literal = `<${'x'.repeat(50_000)}>`
  file.added_tokens.push({ id: 1200, content: literal, special: true })
  const tokenizer = await bytePairTokenizer(bytePairSpec(file))
  const options = { allowedSpecial: new Set([literal]) }
  const ids = tokenizeText(tokenizer, literal.repeat(20), options)
  const { body } = tokenizedJson(tokenizer, ids)
  const { bytes, blocks } = await collect(body)
  expect(JSON.parse(bytes.toString()).tokens).toHaveLength(20)
  expect(Math.max(...blocks)).toBeLessThan(300_000)
})

test('a row of combining marks makes no token’s bytes longer than the few characters that it stands for', async () => {
  const text = `a${'\u0301\u0316'.repeat(2048)}`
  const tokenizer = await bytePairTokenizer(bytePairSpec(tokenizerFile('qwen2')))
  const ids = tokenizeText(tokenizer, text, { allowedSpecial: new Set(), ranges: true })
  const starts: number[] = []
  starts.push(0)
  const { body } = tokenizedJson(tokenizer, ids, undefined, { bytes: Buffer.from(text), starts })
  const { bytes } = await collect(body)
  expect(bytes.length).toBeLessThan(150 * ids.length)
})

test('answers that flow at the same time do not disturb each other', async () => {
  const encoding = await loadEncoding('o200k_base')
  const random = randomNumbers(seedOfThisRun())
  const answers = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const text = randomText(random, 4000)
      const ids = tokenizeText(encoding, text, { allowedSpecial: new Set() })
      const { bytes } = await collect(tokenizedJson(encoding, ids).body)
      return { bytes, expected: tokenizedAnswer(encoding, text, [...ids]) }
    }),
  )
  for (const { bytes, expected } of answers) expect(bytes.equals(Buffer.from(expected))).toBe(true)
})

test('no ids are empty lists', async () => {
  const { body } = tokenizedJson(await loadEncoding('gpt2'), new TokenBuffer())
  const { bytes } = await collect(body)
  expect(bytes.toString()).toBe('{"input_ids":[],"num_tokens":0,"num_characters":0,"tokens":[]}')
})
