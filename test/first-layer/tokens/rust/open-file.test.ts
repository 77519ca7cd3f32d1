import fc from 'fast-check'
import { describe as describeAlways, expect, test } from 'vitest'
import type { Encoded } from '../../../../src/first-layer/tokens/rust/messages.js'
import { type Library, loadLibrary, OpenFile } from '../../../../src/first-layer/tokens/rust/open-file.js'
import { checkProperty } from '../../../property.js'
import { withoutLiterals } from '../../../twins/tokens/without-literals.js'
import { hasRustLibrary, RustLibrary, tokenizerFile } from '../rust-library.js'
import { tokenizerTexts } from '../tokenizer-texts.js'

const describe = describeAlways.skipIf(!hasRustLibrary)
const library = (await loadLibrary()) as Library
/** `FAST_CHECK_TIMES=100 npx vitest run test/first-layer/tokens/rust/open-file.test.ts` tries as many more. */
const RUNS = 15
const TIMES = Number(process.env.FAST_CHECK_TIMES ?? 1)

const FLAGS = { special: true, normalized: false, lstrip: false, rstrip: false, single_word: false }
/** Added tokens of every kind, behind those of the file. */
const ADDED = [
  { content: '<mask>', lstrip: true, normalized: true },
  { content: '<left>', lstrip: true },
  { content: 'ing', special: false, single_word: true },
  { content: '<right>', rstrip: true },
  { content: '<both>', lstrip: true, rstrip: true },
  { content: '[MASK]', single_word: true },
  { content: '[CLS]', normalized: true },
  { content: '[CL', special: false },
  { content: 'york', special: false, normalized: true },
  { content: 'New y' },
]
const TRIMS = { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true }

/** A golden's tokenizer.json with added tokens of every kind. */
function manyKinds(name: string, more: object = {}): string {
  const file = JSON.parse(tokenizerFile(name))
  const first = Array.isArray(file.model.vocab)
    ? file.model.vocab.length
    : Object.keys(file.model.vocab).length
  const added = ADDED.map((token, i) => ({ id: first + i, ...FLAGS, ...token }))
  return JSON.stringify({ ...file, ...more, added_tokens: [...file.added_tokens, ...added] })
}

const literalsOf = (json: string) =>
  (JSON.parse(json).added_tokens as { content: string; special: boolean }[])
    .filter(({ special }) => special)
    .map(({ content }) => content)

async function encoded(file: OpenFile, text: string, forbidden: readonly string[], addSpecialTokens = false) {
  const work = { type: 'encode', utf8: Buffer.from(text), forbidden, addSpecialTokens, ranges: true } as const
  const { ids, ranges } = (await file.run(work)) as Encoded
  return { ids: [...ids], ranges: [...ranges] }
}

/** A file, and those that the library makes tokenizers of for it. */
function counted(json: string) {
  const made: string[] = []
  const fromString = (file: string) => made.push(file) && library.Tokenizer.fromString(file)
  return { file: new OpenFile({ Tokenizer: { fromString } } as unknown as Library, json), made }
}

describe('sets of special tokens', () => {
  const FILES = {
    unigram: manyKinds('unigram'),
    'sentencepiece-bpe': manyKinds('sentencepiece-bpe'),
    wordlevel: manyKinds('wordlevel'),
    'wordlevel with spaces around ideographs': manyKinds('wordlevel', {
      normalizer: {
        type: 'BertNormalizer',
        ...{ clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
      },
    }),
    'sentencepiece-bpe in lower case': manyKinds('sentencepiece-bpe', {
      normalizer: {
        type: 'Sequence',
        normalizers: [
          { type: 'Prepend', prepend: '▁' },
          { type: 'Lowercase' },
          { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
        ],
      },
    }),
    'unigram with trimmed offsets': manyKinds('unigram', { post_processor: TRIMS }),
    'a first space before the first word alone': manyKinds('unigram', {
      pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: true },
    }),
  }

  test.each(Object.entries(FILES))(
    '%s: ids and ranges are those of a tokenizer without the forbidden tokens',
    async (_, json) => {
      const file = new OpenFile(library, json)
      const literals = literalsOf(json)
      const texts = fc
        .array(fc.oneof(tokenizerTexts, fc.constantFrom(...literals, ' ', 'ing', 'York', '<MASK>', '▁')), {
          maxLength: 8,
        })
        .map((parts) => parts.join(''))
      const property = fc.asyncProperty(
        texts,
        fc.subarray(literals),
        fc.boolean(),
        async (text, forbidden, adds) => {
          const oracle = new RustLibrary(withoutLiterals(json, forbidden))
          expect(await encoded(file, text, forbidden, adds)).toEqual(await oracle.encode(text, adds))
        },
      )
      await checkProperty(property, RUNS)
    },
    60_000 * TIMES,
  )

  test.each(Object.entries(FILES))('%s: the same where tokens take spaces along', async (_, json) => {
    const file = new OpenFile(library, json)
    for (const text of [
      '中<mask>',
      '中<MASK>',
      '<unk> <mask>',
      '<right>\t<mask>[CLS]',
      ' <both> \u0301',
      '<left>▁ <mask>',
    ]) {
      for (const forbidden of [['[CLS]'], ['[CLS]', '<unk>'], ['[CLS]', '<right>']]) {
        const oracle = new RustLibrary(withoutLiterals(json, forbidden))
        expect(await encoded(file, text, forbidden), text).toEqual(await oracle.encode(text))
      }
    }
  })

  test('take one tokenizer where no forbidden literal can be in the text', async () => {
    const { file, made } = counted(tokenizerFile('unigram'))
    await encoded(file, 'a < s > b', ['<pad>', '</s>'])
    expect(made).toHaveLength(1)
  })

  test('take one more for each of two lists, the last ones', async () => {
    const { file, made } = counted(manyKinds('unigram'))
    for (const list of [['<left>'], ['<right>'], ['<left>'], ['<left>', '<right>'], ['<left>'], ['<right>']])
      await encoded(file, '<left> a <right>', list)
    expect(made).toHaveLength(5)
  })

  test('cannot be written by who does not know the marks', async () => {
    const file = new OpenFile(library, tokenizerFile('unigram'))
    const text = '<000000000000> </s> <s>'
    const { ids } = await encoded(file, text, ['</s>'])
    const oracle = new RustLibrary(withoutLiterals(tokenizerFile('unigram'), ['</s>']))
    expect(ids).toEqual((await oracle.encode(text)).ids)
  })

  test('keep the ids of a vocabulary with holes', async () => {
    const holed = JSON.parse(tokenizerFile('wordlevel'))
    holed.model.vocab.hole = 413
    const size = Object.keys(holed.model.vocab).length
    holed.added_tokens.push(
      { ...FLAGS, id: size, content: '<a>' },
      { ...FLAGS, id: size + 1, content: '<b>' },
    )
    const json = JSON.stringify(holed)
    const file = new OpenFile(library, json)
    for (const forbidden of [['<a>'], ['<s>'], ['<s>', '<b>']]) {
      const oracle = new RustLibrary(withoutLiterals(json, forbidden))
      const text = 'the <a> hole<b> <s> the'
      expect(await encoded(file, text, forbidden)).toEqual(await oracle.encode(text))
    }
  })
})
