import '../../../built.js'
import fc from 'fast-check'
import { afterAll, describe as describeAlways, expect, test as testAlways } from 'vitest'
import { RustLibrary as OwnLibrary } from '../../../../src/first-layer/tokens/rust/rust-library.js'
import {
  MAX_RUST_TEXT_BYTES,
  type RustTokenizer,
  rustTokenizer,
} from '../../../../src/first-layer/tokens/rust/rust-tokenizer.js'
import { tokenizeAsync } from '../../../../src/first-layer/tokens/tokenize.js'
import type { StreamOptions } from '../../../../src/first-layer/tokens/tokenizer.js'
import {
  readTokenizerFiles,
  type TokenizerTexts,
} from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { checkProperty } from '../../../property.js'
import { hasRustLibrary, RustLibrary, tokenizerFile } from '../rust-library.js'
import { tokenizerTexts } from '../tokenizer-texts.js'

/** A hundred thousand texts a file: `FAST_CHECK_TIMES=1000 npx vitest run test/first-layer/tokens/rust`. */
const RUNS = 100
const TIMES = Number(process.env.FAST_CHECK_TIMES ?? 1)
const test = testAlways.skipIf(!hasRustLibrary)
const describe = describeAlways.skipIf(!hasRustLibrary)
const own = new OwnLibrary()
let nextKey = 1

afterAll(() => own.end())

async function open(texts: TokenizerTexts): Promise<RustTokenizer> {
  const file = readTokenizerFiles(texts)
  if (file.kind !== 'foreign') throw new Error(`not foreign: ${file.kind}`)
  const opened = { key: String(nextKey++), json: Buffer.from(file.json) }
  await own.run({ type: 'open', file: opened })
  return rustTokenizer(own, opened, file.spec)
}

const allOf = (tokenizer: RustTokenizer) => new Set(tokenizer.specialTokens.keys())

async function idsOf(
  tokenizer: RustTokenizer,
  text: string,
  options: Partial<StreamOptions> = {},
): Promise<number[]> {
  return [...(await tokenizeAsync(tokenizer, text, { allowedSpecial: allOf(tokenizer), ...options }))]
}

test.each(['unigram', 'sentencepiece-bpe', 'wordlevel'])(
  '%s: ids and byte ranges of random texts equal the library’s',
  async (name) => {
    const json = tokenizerFile(name)
    const oracle = new RustLibrary(json)
    const tokenizer = await open({ tokenizer: json })
    const property = fc.asyncProperty(tokenizerTexts, fc.boolean(), async (text, addSpecialTokens) => {
      const options = { allowedSpecial: allOf(tokenizer), addSpecialTokens, ranges: true }
      const ids = await tokenizeAsync(tokenizer, text, options)
      const found = { ids: [...ids], ranges: [...(ids.ranges ?? [])] }
      expect(found).toEqual(await oracle.encode(text, addSpecialTokens))
      expect(ids.characters).toBe([...text].length)
    })
    await checkProperty(property, RUNS)
  },
  60_000 * TIMES,
)

describe('the files beside tokenizer.json', () => {
  test('say nothing about the ids around a text: add_bos_token and add_eos_token are dropped', async () => {
    for (const flag of [true, false]) {
      const config = JSON.stringify({
        add_bos_token: flag,
        add_eos_token: flag,
        bos_token: '<s>',
        eos_token: '</s>',
      })
      const tokenizer = await open({ tokenizer: tokenizerFile('sentencepiece-bpe'), config })
      const plain = await idsOf(tokenizer, 'the')
      expect(await idsOf(tokenizer, 'the', { addSpecialTokens: true })).toEqual([1, ...plain])
    }
  })

  test('truncation and padding of the file are off', async () => {
    const file = JSON.parse(tokenizerFile('wordlevel'))
    file.truncation = { direction: 'Right', max_length: 2, strategy: 'LongestFirst', stride: 0 }
    file.padding = {
      ...{ strategy: { Fixed: 9 }, direction: 'Right', pad_to_multiple_of: null },
      ...{ pad_id: 0, pad_type_id: 0, pad_token: '<unk>' },
    }
    const tokenizer = await open({ tokenizer: JSON.stringify(file) })
    expect(await idsOf(tokenizer, 'the the the')).toHaveLength(3)
  })
})

describe('allowed special tokens', () => {
  test('a literal that is not allowed is ordinary text, and the others keep their ids', async () => {
    const file = JSON.parse(tokenizerFile('wordlevel'))
    const token = { ...file.added_tokens[0], id: 0 }
    const size = Object.keys(file.model.vocab).length
    file.added_tokens.push({ ...token, id: size, content: '<a>' }, { ...token, id: size + 1, content: '<b>' })
    const tokenizer = await open({ tokenizer: JSON.stringify(file) })
    const text = '<s><a><b>'
    expect(await idsOf(tokenizer, text)).toEqual([1, size, size + 1])
    const onlyB = await idsOf(tokenizer, text, { allowedSpecial: new Set(['<b>']) })
    expect(onlyB.at(-1)).toBe(size + 1)
    expect(onlyB.slice(0, -1)).not.toContain(1)
    expect(onlyB.slice(0, -1)).not.toContain(size)
    const none = await idsOf(tokenizer, text, { allowedSpecial: new Set() })
    expect(none.filter((id) => id === 1 || id >= size)).toEqual([])
  })

  test('sets taken in turn, more than are kept', async () => {
    const tokenizer = await open({ tokenizer: tokenizerFile('sentencepiece-bpe') })
    const literals = [...tokenizer.specialTokens.keys()]
    for (let round = 0; round < 2; round++) {
      for (let set = 0; set < 8; set++) {
        const allowedSpecial = new Set(literals.filter((_, i) => (set >> i) & 1))
        for (const [i, literal] of literals.entries()) {
          const ids = await idsOf(tokenizer, `a ${literal} b`, { allowedSpecial })
          expect(ids.includes(i), `${literal} of ${[...allowedSpecial]}`).toBe(allowedSpecial.has(literal))
        }
      }
    }
  })

  test('an unknown literal is refused', async () => {
    const tokenizer = await open({ tokenizer: tokenizerFile('unigram') })
    expect(() => tokenizer.stream({ allowedSpecial: new Set(['<nope>']) })).toThrow(RangeError)
  })
})

test('a long text in parts, cut within characters, is made into ids in steps', async () => {
  const tokenizer = await open({ tokenizer: tokenizerFile('unigram') })
  const text = 'Größe 中文 😀 '.repeat(6000)
  const utf8 = Buffer.from(text)
  const chunks = Array.from({ length: Math.ceil(utf8.length / 1001) }, (_, i) =>
    utf8.subarray(i * 1001, (i + 1) * 1001),
  )
  const ids = await tokenizeAsync(tokenizer, chunks, { allowedSpecial: new Set(), ranges: true })
  const expected = await new RustLibrary(tokenizerFile('unigram')).encode(text)
  expect([...ids]).toEqual(expected.ids)
  expect([...ids.ranges!]).toEqual(expected.ranges)
  expect(ids.length).toBeGreaterThan(3 * 16_384)
})

test('a text over the bound is refused with both numbers', async () => {
  const tokenizer = await open({ tokenizer: tokenizerFile('unigram') })
  const text = 'a'.repeat(MAX_RUST_TEXT_BYTES + 1)
  await expect(tokenizeAsync(tokenizer, text, { allowedSpecial: new Set() })).rejects.toMatchObject({
    code: 'body_too_large',
    message: expect.stringContaining(String(MAX_RUST_TEXT_BYTES)),
  })
})

test('texts at the same time get their own ids', async () => {
  const tokenizer = await open({ tokenizer: tokenizerFile('unigram') })
  const oracle = new RustLibrary(tokenizerFile('unigram'))
  const texts = Array.from({ length: 9 }, (_, i) => `text ${i} `.repeat(i % 3 === 0 ? 9000 : 3))
  const found = await Promise.all(texts.map((text) => idsOf(tokenizer, text)))
  for (const [i, text] of texts.entries()) expect(found[i]).toEqual((await oracle.encode(text)).ids)
})

test.each([' ', '\n', '\u0301', ''])('a text that gives no token has no ranges: %j', async (text) => {
  const json = JSON.parse(tokenizerFile('wordlevel'))
  const normalizer = { type: 'Replace', pattern: { Regex: '[\\s\u0301]' }, content: '' }
  const tokenizer = await open({ tokenizer: JSON.stringify({ ...json, normalizer }) })
  const options = { allowedSpecial: new Set<string>(), ranges: true }
  const ids = await tokenizeAsync(tokenizer, text, options)
  expect([ids.length, ids.ranges?.length, ids.characters]).toEqual([0, 0, text.length])
})

test('the text of ids equals the library’s; a token’s text is its own string', async () => {
  const tokenizer = await open({ tokenizer: tokenizerFile('sentencepiece-bpe') })
  const oracle = new RustLibrary(tokenizerFile('sentencepiece-bpe'))
  const ids = await idsOf(tokenizer, 'Größe <s> 😀 the', { addSpecialTokens: true })
  const text = await tokenizer.decode(ids)
  expect([text.lossy, [...text.parts()].join('')]).toEqual([false, await oracle.decode(ids)])
  expect(tokenizer.tokenText(1)).toBe('<s>')
  expect(tokenizer.tokenText(tokenizer.vocabSize)).toBeUndefined()
})

test('a file that the library refuses names the reason', async () => {
  const file = JSON.parse(tokenizerFile('unigram'))
  file.pre_tokenizer = { type: 'Nonsense' }
  await expect(open({ tokenizer: JSON.stringify(file) })).rejects.toMatchObject({ code: 'model_failed' })
})

test('a text at which the library panics ends its process only, and the next text is encoded', async () => {
  const json = JSON.parse(tokenizerFile('wordlevel'))
  const pattern = { Regex: '(a+)+$' } // its matching gives up, and the library panics
  const tokenizer = await open({
    tokenizer: JSON.stringify({
      ...json,
      pre_tokenizer: { type: 'Split', pattern, behavior: 'Isolated', invert: false },
    }),
  })
  const other = await open({ tokenizer: tokenizerFile('unigram') })
  const before = await idsOf(other, 'hello world')
  await expect(idsOf(tokenizer, `${'a'.repeat(40)}bbb`)).rejects.toMatchObject({
    code: 'tokenizer_unavailable',
    message: expect.stringMatching(/the library has ended/),
  })
  for (let i = 0; i < 3; i++) expect(await idsOf(other, 'hello world')).toEqual(before)
  expect(await idsOf(tokenizer, 'a')).toHaveLength(1)
})

test('a file at which the library panics is not held against it: each text tries again', async () => {
  const json = JSON.parse(tokenizerFile('unigram'))
  const normalizer = { type: 'Precompiled', precompiled_charsmap: '' }
  const opened = open({ tokenizer: JSON.stringify({ ...json, normalizer }) })
  await expect(opened).rejects.toMatchObject({ code: 'tokenizer_unavailable' })
})

test('a text that the library cannot encode is the client’s error, not the service’s', async () => {
  const json = JSON.parse(tokenizerFile('wordlevel'))
  const tokenizer = await open({
    tokenizer: JSON.stringify({ ...json, model: { ...json.model, unk_token: '[nowhere]' } }),
  })
  await expect(idsOf(tokenizer, 'zzzzqqq')).rejects.toMatchObject({ code: 'tokenizer_unavailable' })
})
