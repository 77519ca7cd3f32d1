import { describe, expect, test } from 'vitest'
import { bytePairOf } from '../../../src/tokens/byte-pair/tokenizer-json.js'
import { FILES, tokenizerFile } from './files.js'

// biome-ignore lint/suspicious/noExplicitAny: as in files.ts
type File = any
const added = (content: string, more: object = {}) => ({ id: 1202, content, special: true, ...more })

describe('a file that the kernel would not encode exactly is left to others', () => {
  test.each<[string, (file: File) => void]>([
    ['another model', ({ model }) => Object.assign(model, { type: 'Unigram' })],
    ['dropout', ({ model }) => Object.assign(model, { dropout: 0.1 })],
    ['a prefix of subwords', ({ model }) => Object.assign(model, { continuing_subword_prefix: '##' })],
    ['a suffix of words', ({ model }) => Object.assign(model, { end_of_word_suffix: '</w>' })],
    ['a byte that is no token', ({ model }) => delete model.vocab.Ā],
    ['two tokens of one id', ({ model }) => Object.assign(model.vocab, { A: model.vocab.B })],
    ['a merge that is listed twice', ({ model }) => model.merges.push(model.merges[0])],
    ['another normalizer', (file) => Object.assign(file, { normalizer: { type: 'NFKC' } })],
    ['normal form C beside a blank', (file) => Object.assign(file, { normalizer: { type: 'NFC' } })],
    ['another pre-tokenizer', (file) => Object.assign(file, { pre_tokenizer: { type: 'Whitespace' } })],
    ['no pre-tokenizer', (file) => Object.assign(file, { pre_tokenizer: null })],
    ['bytes without a pattern', (file) => Object.assign(file.pre_tokenizer, { use_regex: false })],
    ['another post-processor', (file) => Object.assign(file, { post_processor: { type: 'Other' } })],
    [
      'a template with the text twice',
      (file) =>
        Object.assign(file, {
          post_processor: {
            type: 'TemplateProcessing',
            single: [{ Sequence: { id: 'A' } }, { Sequence: { id: 'A' } }],
          },
        }),
    ],
    [
      'an added token of whole words',
      ({ added_tokens: list }) => list.push(added('<w>', { single_word: true })),
    ],
    [
      'an added token of whitespace beside one that strips it',
      ({ added_tokens: list }) => list.push(added('  ')),
    ],
    [
      'added tokens that overlap, of two passes',
      ({ added_tokens: list }) => list.push(added('mask>x', { normalized: true })),
    ],
    [
      'an added token whose id the library would count anew',
      ({ added_tokens: list }) => list.push(added('<x>', { id: 5000 })),
    ],
  ])('%s', (_, change) => {
    const file = tokenizerFile('roberta')
    expect(bytePairOf(file)).toBeDefined()
    change(file)
    expect(bytePairOf(file)).toBeUndefined()
  })
})

describe('a file that breaks a rule of the format is refused by field and rule', () => {
  test.each<[string, (file: File) => void]>([
    [
      'tokenizer.json: `model` must be an object. Given: null',
      (file) => Object.assign(file, { model: null }),
    ],
    [
      'tokenizer.json: `model.vocab` must be an object. Given: an empty array',
      ({ model }) => Object.assign(model, { vocab: [] }),
    ],
    [
      'tokenizer.json: `model.vocab.A` must be an integer from 0 to 16777215. Given: -1',
      ({ model }) => Object.assign(model.vocab, { A: -1 }),
    ],
    [
      'tokenizer.json: `model.vocab.A` must be an integer from 0 to 16777215. Given: 1e+300',
      ({ model }) => Object.assign(model.vocab, { A: 1e300 }),
    ],
    [
      'tokenizer.json: `model.merges` must be a list. Given: "a b"',
      ({ model }) => Object.assign(model, { merges: 'a b' }),
    ],
    [
      'tokenizer.json: `model.merges.0` must be two tokens, as `"a b"` or `["a", "b"]`. Given: "a b c"',
      ({ model }) => Object.assign(model.merges, ['a b c']),
    ],
    [
      'tokenizer.json: `model.merges.0` must have its tokens and their union in `model.vocab`. Given: "A Ġ"',
      ({ model }) => Object.assign(model.merges, [['A', 'Ġ']]),
    ],
    [
      'tokenizer.json: `added_tokens.0.content` must be a string. Given: 7',
      (file) => Object.assign(file.added_tokens[0], { content: 7 }),
    ],
    [
      'tokenizer.json: `post_processor.cls.1` must be an integer from 0 to 16777215. Given: "0"',
      (file) => Object.assign(file.post_processor, { cls: ['<s>', '0'] }),
    ],
    [
      'tokenizer.json: `normalizer` must be an object or null. Given: "NFC"',
      (file) => Object.assign(file, { normalizer: 'NFC' }),
    ],
  ])('%s', (message, change) => {
    const file = tokenizerFile('roberta')
    change(file)
    expect(() => bytePairOf(file)).toThrow(expect.objectContaining({ code: 'model_failed', message }))
  })

  test.each([null, [], 'x', 1])('a file that is %j', (file) => {
    expect(() => bytePairOf(file)).toThrow('`tokenizer.json` must be an object')
  })
})

describe('tokenizer_config.json', () => {
  const around = (config?: object, change: (file: File) => void = () => {}) => {
    const file = tokenizerFile('roberta')
    change(file)
    const { before, behind } = bytePairOf(file, config)!
    return [before, behind]
  }
  const tokens = { bos_token: '<s>', eos_token: { content: '</s>' } }

  test('is not asked about the post-processor, unless it says so', () => {
    expect(around()).toEqual([[0], [2]])
    expect(around(tokens)).toEqual([[0], [2]])
  })

  test('replaces the post-processor where it says whether to add a token', () => {
    expect(around({ ...tokens, add_bos_token: true })).toEqual([[0], []])
    expect(around({ ...tokens, add_eos_token: true })).toEqual([[], [2]])
    expect(around({ ...tokens, add_bos_token: false })).toEqual([[], []])
  })

  test('decides where the file has no post-processor', () => {
    const without = (file: File) => Object.assign(file, { post_processor: null })
    expect(around({ ...tokens, add_bos_token: true, add_eos_token: true }, without)).toEqual([[0], [2]])
    expect(around(tokens, without)).toEqual([[], []])
  })

  test('must name the token that is to be added', () => {
    const message =
      'tokenizer_config.json: `bos_token` must be a token, since `add_bos_token` is true. Given: "<none>"'
    expect(() => around({ add_bos_token: true, bos_token: '<none>' })).toThrow(message)
  })

  test('names the end of text', () => {
    expect(bytePairOf(tokenizerFile('roberta'), tokens)?.endOfText).toBe(2)
    expect(bytePairOf(tokenizerFile('roberta'))?.endOfText).toBeUndefined()
    expect(bytePairOf(tokenizerFile('gpt2'))?.endOfText).toBe(0)
  })
})

test.each(FILES)('what the kernel needs is plain data (%s)', (name) => {
  const spec = bytePairOf(tokenizerFile(name))
  expect(structuredClone(spec)).toEqual(spec)
})
