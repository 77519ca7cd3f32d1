import { describe, expect, test } from 'vitest'
import { howToMakeTokenizer } from '../../../../src/checkpoints/how-to-convert.js'
import { readTokenizerFiles } from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { tokenizerFile } from '../rust-library.js'

// biome-ignore lint/suspicious/noExplicitAny: a file is changed into what it must not be
type File = Record<string, any>

function changed(name: string, change: (file: File) => void): string {
  const file = JSON.parse(tokenizerFile(name))
  change(file)
  return JSON.stringify(file)
}

const wordPiece = (change: (file: File) => void) => changed('wordpiece-uncased', change)
const read = (tokenizer: string, config?: string, specialTokensMap?: string) =>
  readTokenizerFiles({ tokenizer, config, specialTokensMap })

describe('an invalid file is refused with file, field, rule and value', () => {
  test.each([
    ['{"a":', 'tokenizer.json must be JSON'],
    ['[]', 'tokenizer.json must be a JSON object. Given: an empty array'],
    ['{}', 'tokenizer.json: `model` must be an object. Given: nothing'],
    ['['.repeat(10_000_000), 'tokenizer.json must nest at most 64'],
    [wordPiece((file) => (file.model.type = 'Neural')), '`model.type` must be one of BPE, WordPiece'],
    [wordPiece((file) => (file.model.vocab = 3)), '`model.vocab` must be an object. Given: 3'],
    [
      wordPiece((file) => (file.model.vocab.the = -1)),
      '`model.vocab.the` must be an integer from 0 to 16777215. Given: -1',
    ],
    [wordPiece((file) => (file.model.vocab.the = 2 ** 31)), 'Given: 2147483648'],
    [
      wordPiece((file) => (file.model.vocab.the = '7')),
      '`model.vocab.the` must be an integer from 0 to 16777215. Given: "7"',
    ],
    [
      wordPiece((file) => (file.model.vocab.twice = 7)),
      '`model.vocab.twice` must be an id that no other token has. Given: 7',
    ],
    [
      wordPiece((file) => (file.model.max_input_chars_per_word = 0)),
      '`model.max_input_chars_per_word` must be an integer from 1 on. Given: 0',
    ],
    [wordPiece((file) => (file.added_tokens = {})), '`added_tokens` must be an array. Given: an object'],
    [
      wordPiece((file) => (file.added_tokens[1].id = 0)),
      '`added_tokens.1.id` must be an id that no other added token has. Given: 0',
    ],
    [
      wordPiece((file) => (file.added_tokens[1].content = null)),
      '`added_tokens.1.content` must be a string. Given: null',
    ],
    [
      wordPiece((file) => (file.added_tokens[1].content = 'a\ud800')),
      '`added_tokens.1.content` must be Unicode',
    ],
    [
      wordPiece((file) => (file.added_tokens[1].lstrip = 1)),
      '`added_tokens.1.lstrip` must be true or false. Given: 1',
    ],
    [
      wordPiece((file) => (file.post_processor.single = null)),
      '`post_processor.single` must be an array. Given: null',
    ],
    [
      wordPiece((file) => (file.post_processor.special_tokens = {})),
      '`post_processor.single.0` must be a sequence, or one of `special_tokens`. Given: "[CLS]"',
    ],
    [
      changed('unigram', (file) => (file.model.vocab[3] = ['a'])),
      '`model.vocab.3` must be a token and its score',
    ],
  ])('%.60s', (text, message) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({ code: 'model_failed', message: expect.stringContaining(message) }),
    )
  })

  test.each([
    ['{', 'tokenizer_config.json must be JSON'],
    [
      '{"eos_token": 3}',
      'tokenizer_config.json: `eos_token` must be a string, or an object with `content`. Given: 3',
    ],
    [
      '{"eos_token": {"content": 3}}',
      'tokenizer_config.json: `eos_token.content` must be a string. Given: 3',
    ],
  ])('tokenizer_config.json %s', (config, message) => {
    expect(() => read(tokenizerFile('wordlevel'), config)).toThrow(message)
  })
})

describe('facts in the files', () => {
  test('roles, as strings and objects; special_tokens_map.json counts before the config', () => {
    const config = JSON.stringify({ eos_token: '</s>', pad_token: { content: '<unk>' }, cls_token: '<none>' })
    const { facts } = read(tokenizerFile('wordlevel'), config, '{"eos_token": {"content": "<s>"}}')
    expect(facts.roles).toEqual({ eos: '<s>', pad: '<unk>', cls: '<none>' })
    expect(facts.roleIds).toEqual({ eos: 1, pad: 0 })
    expect(facts.endOfText).toBe(1)
  })

  test('special_tokens_map.json does not count if the config has added_tokens_decoder', () => {
    const config = JSON.stringify({ eos_token: '</s>', added_tokens_decoder: {} })
    expect(read(tokenizerFile('wordlevel'), config, '{"eos_token": "<s>"}').facts.roles).toEqual({
      eos: '</s>',
    })
  })

  test('an added token that the vocabulary lacks gets the next id, not the file’s', () => {
    const text = changed('wordlevel', (file) => {
      file.added_tokens.push({ ...file.added_tokens[0], id: 9000, content: '<new>' })
    })
    const size = Object.keys(JSON.parse(text).model.vocab).length
    expect(read(text).facts.addedTokens.at(-1)).toMatchObject({ content: '<new>', id: size })
  })
})

describe('the encoder for a file', () => {
  test.each<[string, (file: File) => void, string]>([
    ['wordpiece-uncased', (file) => (file.normalizer = { type: 'NFC' }), 'normalizer NFC'],
    [
      'wordpiece-uncased',
      (file) => (file.pre_tokenizer = { type: 'Whitespace' }),
      'pre_tokenizer Whitespace',
    ],
    [
      'wordpiece-uncased',
      (file) => (file.post_processor = { type: 'RobertaProcessing', cls: ['[CLS]', 2], sep: ['[SEP]', 3] }),
      'post_processor RobertaProcessing',
    ],
    ['wordpiece-uncased', (file) => (file.decoder = { type: 'Fuse' }), 'decoder Fuse'],
    [
      'wordpiece-uncased',
      (file) => (file.model.max_input_chars_per_word = 5000),
      'max_input_chars_per_word 5000',
    ],
    ['wordpiece-added', (file) => (file.added_tokens[0].content = ' x'), 'added token " x"'],
    ['unigram', () => {}, 'model Unigram'],
    ['wordlevel', () => {}, 'model WordLevel'],
    ['sentencepiece-bpe', () => {}, 'model BPE with pre_tokenizer null'],
  ])('%s with a change: the library, for a component that is named', (name, change, component) => {
    const file = read(changed(name, change))
    expect(file).toMatchObject({ kind: 'foreign', spec: { component } })
  })

  test('is the kernel for a byte-level BPE', () => {
    // Bytes in the order of their letters: those that can be seen stand for themselves, the others come from U+0100 on.
    const isSeen = (byte: number) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)
    const bytes = Array.from({ length: 256 }, (_, byte) => byte)
    const letters = [...bytes.filter(isSeen), ...bytes.filter((byte) => !isSeen(byte)).map((_, i) => 256 + i)]
    const vocab = Object.fromEntries(
      [...letters.map((letter) => String.fromCharCode(letter)), 'ab'].map((token, id) => [token, id]),
    )
    const file = {
      ...{ added_tokens: [], normalizer: null, post_processor: null, decoder: { type: 'ByteLevel' } },
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      model: { type: 'BPE', vocab, merges: ['a b'] },
    }
    expect(read(JSON.stringify(file)).kind).toBe('byte_pair')
  })

  test('is WordPiece for an old file without a type', () => {
    expect(read(wordPiece((file) => delete file.model.type)).kind).toBe('wordpiece')
  })
})

test('the reason for a folder without tokenizer.json has the command that makes one', () => {
  expect(howToMakeTokenizer(new Set(['config.json']))).toBeUndefined()
  for (const names of [['vocab.json', 'merges.txt'], ['tokenizer.model'], ['vocab.txt']])
    expect(howToMakeTokenizer(new Set(names))).toContain(
      'AutoTokenizer.from_pretrained(".").save_pretrained(".")',
    )
  expect(howToMakeTokenizer(new Set(['tokenizer.model']))).toContain(
    '(pip install transformers sentencepiece protobuf)',
  )
  expect(howToMakeTokenizer(new Set(['tekken.json']))).toMatch(
    /has tekken\..*PreTrainedTokenizerFast\.from_pretrained/,
  )
  expect(howToMakeTokenizer(new Set(['tiktoken.model']))).toMatch(/has tiktoken\..*docs\/tokenizers\.md/)
})
