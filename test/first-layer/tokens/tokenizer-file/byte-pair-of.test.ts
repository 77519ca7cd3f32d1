import { describe, expect, test } from 'vitest'
import { readTokenizerFiles } from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { bytePairSpec, FILES, tokenizerFile } from '../byte-pair/files.js'

// biome-ignore lint/suspicious/noExplicitAny: as in byte-pair/files.ts
type File = any
const added = (content: string, more: object = {}) => ({ id: 1202, content, special: true, ...more })
const read = (file: File) => readTokenizerFiles({ tokenizer: JSON.stringify(file) })

describe('a file that the kernel would not encode exactly is left to other encoders', () => {
  test.each<[string, (file: File) => void]>([
    ['dropout', ({ model }) => Object.assign(model, { dropout: 0.1 })],
    ['a prefix of subwords', ({ model }) => Object.assign(model, { continuing_subword_prefix: '##' })],
    ['a suffix of words', ({ model }) => Object.assign(model, { end_of_word_suffix: '</w>' })],
    ['a byte that is no token', ({ model }) => delete model.vocab.Ā],
    ['a merge that is listed twice', ({ model }) => model.merges.push(model.merges[0])],
    ['another normalizer', (file) => Object.assign(file, { normalizer: { type: 'NFKC' } })],
    ['normal form C beside a blank', (file) => Object.assign(file, { normalizer: { type: 'NFC' } })],
    ['another pre-tokenizer', (file) => Object.assign(file, { pre_tokenizer: { type: 'Whitespace' } })],
    ['no pre-tokenizer', (file) => Object.assign(file, { pre_tokenizer: null })],
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
      ({ added_tokens: list }) => list.push(added('x<mask', { normalized: true })),
    ],
  ])('%s', (_, change) => {
    const file = tokenizerFile('roberta')
    expect(read(file).kind).toBe('byte_pair')
    change(file)
    expect(read(file).kind).toBe('foreign')
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
      'tokenizer.json: `model.merges` must be an array. Given: "a b"',
      ({ model }) => Object.assign(model, { merges: 'a b' }),
    ],
    [
      'tokenizer.json: `model.merges.0` must be two tokens, as `"a b"` or `["a", "b"]`. Given: "a b c"',
      ({ model }) => Object.assign(model.merges, ['a b c']),
    ],
    [
      'tokenizer.json: `model.merges.0` must be two tokens that, with their union, stand in `model.vocab`. Given: "A Ġ"',
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
    expect(() => read(file)).toThrow(expect.objectContaining({ code: 'model_failed', message }))
  })
})

describe('tokenizer_config.json', () => {
  const around = (config?: object, change: (file: File) => void = () => {}) => {
    const file = tokenizerFile('roberta')
    change(file)
    const { before, after } = bytePairSpec(file, config).template
    return [before, after]
  }
  const tokens = { bos_token: '<s>', eos_token: { content: '</s>' } }

  test('says nothing about the ids around a text: the post-processor does', () => {
    expect(around()).toEqual([[0], [2]])
    for (const [bos, eos] of [
      [true, true],
      [true, false],
      [false, false],
      [null, true],
    ])
      expect(around({ ...tokens, add_bos_token: bos, add_eos_token: eos })).toEqual([[0], [2]])
    const without = (file: File) => Object.assign(file, { post_processor: null })
    expect(around({ ...tokens, add_bos_token: true, add_eos_token: true }, without)).toEqual([[], []])
    expect(around({ add_bos_token: true, bos_token: '<none>' })).toEqual([[0], [2]])
  })

  test('gives the end-of-text token', () => {
    expect(bytePairSpec(tokenizerFile('roberta'), tokens).endOfText).toBe(2)
    expect(bytePairSpec(tokenizerFile('roberta')).endOfText).toBeUndefined()
    expect(bytePairSpec(tokenizerFile('gpt2')).endOfText).toBe(0)
  })
})

test.each(FILES)('the kernel’s input is plain data (%s)', (name) => {
  const spec = bytePairSpec(tokenizerFile(name))
  expect(structuredClone(spec)).toEqual(spec)
})

test('an old file whose model has no type is a BPE by its merges', () => {
  const file = tokenizerFile('gpt2')
  const spec = bytePairSpec(file)
  delete file.model.type
  expect(bytePairSpec(file)).toEqual(spec)
})

test('an added token has the Rust library’s id, not the file’s', () => {
  const file = tokenizerFile('roberta')
  file.added_tokens.push(added('<x>', { id: 5000 }))
  expect(bytePairSpec(file).addedTokens.at(-1)).toMatchObject({ content: '<x>', id: 1202 })
})

describe('the ids around a text', () => {
  const around = (post_processor: object) => {
    const { before, after } = bytePairSpec({ ...tokenizerFile('roberta'), post_processor }).template
    return [before, after]
  }
  const roberta = { type: 'RobertaProcessing', cls: ['<s>', 0], sep: ['</s>', 2] }

  test('of post-processors in a row stand around those of the ones before', () => {
    expect(around({ type: 'ByteLevel' })).toEqual([[], []])
    expect(around(roberta)).toEqual([[0], [2]])
    const bert = { type: 'BertProcessing', cls: ['x', 5], sep: ['y', 6] }
    expect(around({ type: 'Sequence', processors: [{ type: 'ByteLevel' }, roberta, bert] })).toEqual([
      [5, 0],
      [2, 6],
    ])
  })

  test('must be ids of tokens', () => {
    expect(() => around({ ...roberta, cls: ['<s>', 9000] })).toThrow(
      'tokenizer.json: `post_processor` must be made of ids that tokens have. Given: 9000',
    )
  })
})
