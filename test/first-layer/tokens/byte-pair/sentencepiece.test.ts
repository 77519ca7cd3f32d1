import { describe, expect, test } from 'vitest'
import { bytePairTokenizer } from '../../../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { MAX_TOKEN_BYTES } from '../../../../src/first-layer/tokens/byte-pair/merge-order.js'
import { readTokenizerFiles } from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { randomNumbers, randomText, seedOfThisRun } from '../random-texts.js'
import { hasRustLibrary, RustLibrary, tokenizerFile } from '../rust-library.js'
import { tokenizeText } from '../tokenize-text.js'

const seed = seedOfThisRun()
const COUNT = Number(process.env.COUNT ?? 100)
const FILE = JSON.parse(tokenizerFile('sentencepiece-bpe'))
const [, REPLACE] = FILE.normalizer.normalizers
const metaspace = (prepend_scheme: string, split: boolean) => ({
  normalizer: null,
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme, split },
})
const GEMMA = {
  normalizer: REPLACE,
  pre_tokenizer: {
    type: 'Split',
    pattern: { String: ' ' },
    behavior: 'MergedWithPrevious',
    invert: false,
  },
}

const inSequence = (scheme: string, split: boolean) => ({
  type: 'Sequence',
  pretokenizers: [metaspace(scheme, split).pre_tokenizer],
})
/** transformers 5.24: a blank at the beginning is doubled, since Metaspace adds none before one. */
const SAVED = {
  normalizer: {
    type: 'Sequence',
    normalizers: [REPLACE, { type: 'Replace', pattern: { Regex: '\\A▁' }, content: '▁▁' }],
  },
  pre_tokenizer: inSequence('always', false),
}

function encoderOf(file: object) {
  const read = readTokenizerFiles({ tokenizer: JSON.stringify(file) })
  return read.kind === 'foreign' ? read.spec.encoder : undefined
}

describe.skipIf(!hasRustLibrary)('ids and ranges of random texts are the Rust library’s', () => {
  test.each([
    ['Llama 2', {}],
    ['Gemma', GEMMA],
    ['a blank before the first text', metaspace('first', false)],
    ['blanks before texts, and a cut at each', metaspace('always', true)],
    ['no blank put before a text', metaspace('never', false)],
    ['what AutoTokenizer saves of a tokenizer.model', SAVED],
    ['Metaspace in a Sequence', { ...metaspace('first', true), pre_tokenizer: inSequence('first', true) }],
    ['Metaspace behind a normalizer', { normalizer: REPLACE, pre_tokenizer: inSequence('first', false) }],
    ['a cut behind a normalizer', { ...SAVED, pre_tokenizer: inSequence('always', true) }],
  ])('%s', async (_, change) => {
    const file = { ...FILE, ...change }
    const ours = await bytePairTokenizer(encoderOf(file)!)
    const rust = new RustLibrary(JSON.stringify(file))
    const random = randomNumbers(seed)
    const more = ['▁', '▁▁a', ' ▁', '<s>', '</s> x', '<unk>▁', '☃', '']
    for (let i = 0; i < COUNT; i++) {
      const [before, after] = [more[i % 7]!, more[Math.floor(random() * more.length)]!]
      const text = before + randomText(random, 20) + after + randomText(random, 9)
      const addSpecialTokens = i % 2 === 1
      const options = { allowedSpecial: new Set(ours.specialTokens.keys()), addSpecialTokens, ranges: true }
      const utf8 = Buffer.from(text)
      const cut = Math.floor(random() * utf8.length)
      const parts = [utf8.subarray(0, cut), utf8.subarray(cut, cut + 1), utf8.subarray(cut + 1)]
      const expected = await rust.encode(text, addSpecialTokens)
      for (const ids of [tokenizeText(ours, text, options), tokenizeText(ours, parts, options)]) {
        expect([...ids], JSON.stringify(text)).toEqual(expected.ids)
        expect([...(ids.ranges ?? [])], JSON.stringify(text)).toEqual(expected.ranges)
        expect(ids.characters).toBe([...text].length)
      }
    }
  })
})

test.skipIf(!hasRustLibrary)('ids of random vocabularies, of which tokens cross any characters', async () => {
  const random = randomNumbers(seed)
  const pick = (from: readonly string[]) => from[Math.floor(random() * from.length)]!
  const characters = [...'▁▁ab.\n中文\u5140🇫é']
  let compared = 0
  const taken = { blanks: 0, added: 0 }
  for (let i = 0; i < COUNT; i++) {
    const tokens = [...new Set(characters)]
    let merges: [string, string][] = []
    for (let tries = 0; tries < 20; tries++) {
      const [left, right] = [pick(tokens), pick(tokens)]
      if (!tokens.includes(left + right)) merges.push([left, right])
      if (!tokens.includes(left + right)) tokens.push(left + right)
    }
    // Gemma 3's rows of blanks, whose merges come first, the longest left half before all.
    if (i % 3 === 0) {
      const longest = 2 + Math.floor(random() * 6)
      const rows = Array.from({ length: longest }, (_, blanks) => '▁'.repeat(blanks + 1))
      const pairs = rows.flatMap((left) => rows.map((right): [string, string] => [left, right]))
      const fit = pairs.filter(([left, right]) => left.length + right.length <= longest)
      merges = [...fit.reverse(), ...merges.filter((merge) => !merge.join('').includes('▁▁'))]
      tokens.push(...rows.filter((row) => !tokens.includes(row)))
    }
    // Its rows of newlines, listed so too, are added tokens: no merge makes them. Visible blanks are merged and added.
    const added = i % 5 === 0 ? ['..', '...', '▁▁'] : []
    if (added.length > 0) merges = [['..', '.'], ['.', '..'], ['.', '.'], ...merges]
    tokens.push(...added.filter((token) => !tokens.includes(token)))
    const bytes = Object.keys(FILE.model.vocab).filter((token) => /^<0x..>$/.test(token))
    const vocab = Object.fromEntries(
      ['<unk>', '<s>', '</s>', ...bytes, ...tokens].map((token, id) => [token, id]),
    )
    const change = [{}, GEMMA, metaspace('always', true), metaspace('never', false)][i % 4]
    const rows = added.map((content) => ({
      ...{ id: vocab[content]!, content, special: false, normalized: false },
      ...{ single_word: false, lstrip: false, rstrip: false },
    }))
    const added_tokens = [...FILE.added_tokens, ...rows]
    const file = { ...FILE, ...change, added_tokens, model: { ...FILE.model, vocab, merges } }
    const encoder = encoderOf(file)
    if (encoder === undefined) continue // two orders of the merges are possible
    if (i % 3 === 0 && i % 4 < 2) taken.blanks++
    if (i % 5 === 0) taken.added++
    const ours = await bytePairTokenizer(encoder)
    const rust = new RustLibrary(JSON.stringify(file))
    for (let texts = 0; texts < 5; texts++) {
      const text = Array.from({ length: 1 + random() * 60 }, () =>
        pick([...characters, ' ', '☃', '丁']),
      ).join('')
      const ids = tokenizeText(ours, text, { allowedSpecial: new Set(), ranges: true })
      const expected = await rust.encode(text)
      expect([...ids], JSON.stringify({ merges, text })).toEqual(expected.ids)
      expect([...(ids.ranges ?? [])], JSON.stringify({ merges, text })).toEqual(expected.ranges)
      compared++
    }
  }
  expect(compared).toBeGreaterThan(COUNT)
  expect(taken.blanks).toBeGreaterThan(COUNT / 10)
  expect(taken.added).toBeGreaterThan(COUNT / 10)
})

/** Merges that make rows of at most so many blanks one token, the longest left half first. */
function blankRows(longest: number) {
  const rows = Array.from({ length: longest }, (_, blanks) => '▁'.repeat(blanks + 1))
  const pairs = rows.flatMap((left) => rows.map((right) => [left, right]))
  const merges = pairs.filter(([left, right]) => left!.length + right!.length <= longest).reverse()
  const vocab = { ...FILE.model.vocab }
  for (const row of rows) vocab[row] ??= Object.keys(vocab).length
  return { ...FILE, ...GEMMA, model: { ...FILE.model, vocab, merges } }
}

test.skipIf(!hasRustLibrary)('rows of blanks as long as a token may be', async () => {
  const file = blankRows(MAX_TOKEN_BYTES)
  const ours = await bytePairTokenizer(encoderOf(file)!)
  const rust = new RustLibrary(JSON.stringify(file))
  for (const blanks of [MAX_TOKEN_BYTES - 1, MAX_TOKEN_BYTES, MAX_TOKEN_BYTES + 1, 3 * MAX_TOKEN_BYTES + 2]) {
    const text = `x${' '.repeat(blanks)}x`
    const ids = tokenizeText(ours, text, { allowedSpecial: new Set() })
    expect([...ids]).toEqual((await rust.encode(text)).ids)
  }
  expect(encoderOf(blankRows(MAX_TOKEN_BYTES + 1))).toBeUndefined()
})

test('texts of megabytes are encoded, with or without blanks', async () => {
  const ours = await bytePairTokenizer(encoderOf(FILE)!)
  const options = { allowedSpecial: new Set<string>() }
  for (const text of ['a'.repeat(2 ** 21), '的一是☃'.repeat(2 ** 18), `${' '.repeat(2 ** 21)}x`]) {
    const ids = tokenizeText(ours, text, options)
    expect(ids.characters).toBe([...text].length)
    const few = tokenizeText(ours, text.slice(0, 4096), options)
    expect([...ids.toInt32Array().subarray(0, 1000)]).toEqual([...few.toInt32Array().subarray(0, 1000)])
  }
})

test.each([
  [
    'a byte without a token',
    { model: { ...FILE.model, vocab: { ...FILE.model.vocab, '<0xE9>': undefined } } },
  ],
  [
    'no visible blank',
    { model: { ...FILE.model, merges: [], vocab: { ...FILE.model.vocab, '▁': undefined } } },
  ],
  ['a cut at all but blanks', { ...GEMMA, pre_tokenizer: { ...GEMMA.pre_tokenizer, invert: true } }],
  [
    'an added token that gets the id of another one',
    {
      added_tokens: [...FILE.added_tokens, { ...FILE.added_tokens[0], id: 1200, content: 'XX' }],
      model: {
        ...FILE.model,
        vocab: { ...FILE.model.vocab, xyz: Object.keys(FILE.model.vocab).length + 1 },
      },
    },
  ],
  ['no tokens of bytes', { model: { ...FILE.model, byte_fallback: false } }],
  ['whole pieces before merges', { model: { ...FILE.model, ignore_merges: true } }],
  ['another normalizer', { normalizer: { type: 'Sequence', normalizers: [REPLACE, { type: 'NFKC' }] } }],
  ['another pre-tokenizer', { pre_tokenizer: { type: 'Whitespace' } }],
  [
    'an added token that is searched in normalized text',
    {
      added_tokens: [
        ...FILE.added_tokens,
        { ...FILE.added_tokens[0], id: 1200, content: 'x y', normalized: true },
      ],
    },
  ],
])('the Rust library encodes a file with %s', (_, change) => {
  expect(encoderOf({ ...FILE, ...change })).toBeUndefined()
})
