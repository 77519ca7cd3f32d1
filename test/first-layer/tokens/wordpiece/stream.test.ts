import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { TokenBuffer } from '../../../../src/first-layer/tokens/token-buffer.js'
import { readTokenizerFiles } from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import {
  type WordPieceTokenizer,
  wordPieceTokenizer,
} from '../../../../src/first-layer/tokens/wordpiece/wordpiece-tokenizer.js'
import { hasRustLibrary, RustLibrary, tokenizerFile } from '../rust-library.js'
import { tokenizeText } from '../tokenize-text.js'

const MIB = 1 << 20

function tokenizerOf(json: string): WordPieceTokenizer {
  const file = readTokenizerFiles({ tokenizer: json })
  if (file.kind !== 'wordpiece') throw new Error(`not for us: ${file.kind}`)
  return wordPieceTokenizer(file.spec)
}

const UNCASED = tokenizerFile('wordpiece-uncased')
const tokenizer = tokenizerOf(UNCASED)
const idOf = (token: string) => JSON.parse(UNCASED).model.vocab[token] as number

/** Writes `mebibytes` of a text, part by part, and takes the ids of each step. */
function readMuch(unit: string, mebibytes: number, take: (step: TokenBuffer) => void): void {
  const stream = tokenizer.stream({ allowedSpecial: new Set(), ranges: true })
  const part = Buffer.from(unit.repeat(Math.ceil(MIB / Buffer.byteLength(unit))))
  const drain = () => {
    for (let isMore = true; isMore; ) {
      const step = new TokenBuffer()
      isMore = stream.advance(step)
      take(step)
    }
  }
  for (let i = 0; i < mebibytes; i++) {
    stream.write(part)
    drain()
  }
  stream.end()
  drain()
}

test.each([
  ['punctuation', '.'],
  ['words of one letter', 'a '],
  ['words of which none is known', '\u{1f600}\u{1f600} '],
  ['syllables of three parts', '각'],
])('%s: at most 16,384 ids in a step', (_, unit) => {
  let most = 0
  readMuch(unit, 1, (step) => {
    most = Math.max(most, step.length)
  })
  expect(most).toBeLessThanOrEqual(16_384)
  expect(most).toBeGreaterThan(0)
})

test.each([
  ['one word', 'a'],
  ['combining marks', '\u0301\u0323'],
  ['removed characters', '\u200b'],
])('6 MiB of %s: the memory does not grow with the text', (_, unit) => {
  const before = process.memoryUsage().arrayBuffers
  let characters = 0
  readMuch(unit, 6, (step) => {
    characters += step.characters
  })
  expect(characters * Buffer.byteLength(unit)).toBeGreaterThanOrEqual(6 * MIB)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * MIB)
})

test('a word of 4 MiB is one unknown token with the word’s range', () => {
  const stream = tokenizer.stream({ allowedSpecial: new Set(), ranges: true })
  const ids = new TokenBuffer()
  stream.write(Buffer.from('the '))
  const part = Buffer.alloc(MIB, 'x')
  for (let i = 0; i < 4; i++) {
    stream.write(part)
    while (stream.advance(ids));
  }
  stream.write(Buffer.from(' the'))
  stream.end()
  while (stream.advance(ids));
  const end = 4 + 4 * MIB
  expect([...ids]).toEqual([idOf('the'), idOf('[UNK]'), idOf('the')])
  expect([...ids.ranges!]).toEqual([0, 3, 4, end, end + 1, end + 4])
})

test('the text is read in short steps', () => {
  const stream = tokenizer.stream({ allowedSpecial: new Set() })
  stream.write(Buffer.alloc(MIB, 'the end. '))
  stream.end()
  const ids = new TokenBuffer()
  let steps = 1
  while (stream.advance(ids)) steps++
  expect(steps).toBeGreaterThan(100)
  expect(stream.advance(ids)).toBe(false)
})

test.skipIf(!hasRustLibrary)('a literal that is not allowed is ordinary text', async () => {
  const text = '[MASK] the [SEP]'
  const whole = tokenizeText(tokenizer, text, {
    allowedSpecial: new Set(tokenizer.specialTokens.keys()),
  })
  expect([...whole]).toEqual([idOf('[MASK]'), idOf('the'), idOf('[SEP]')])
  const file = JSON.parse(UNCASED)
  for (const allowed of [['[SEP]'], []]) {
    const ids = tokenizeText(tokenizer, text, { allowedSpecial: new Set(allowed) })
    const added_tokens = file.added_tokens.filter(({ content }: { content: string }) =>
      allowed.includes(content),
    )
    const oracle = new RustLibrary(JSON.stringify({ ...file, added_tokens }))
    expect([...ids]).toEqual((await oracle.encode(text)).ids)
    expect([...ids]).not.toContain(idOf('[MASK]'))
  }
})

test('an unknown literal is refused', () => {
  expect(() => tokenizer.stream({ allowedSpecial: new Set(['[NOPE]']) })).toThrow(RangeError)
})

test('streams that are read alternately do not disturb each other', () => {
  const texts = ['the unaffable world '.repeat(2000), '中文 Größe [SEP] '.repeat(2000)]
  const allowedSpecial = new Set(tokenizer.specialTokens.keys())
  const alone = texts.map((text) => runInTurns([text], allowedSpecial)[0])
  expect(runInTurns(texts, allowedSpecial)).toEqual(alone)
})

function runInTurns(texts: string[], allowedSpecial: ReadonlySet<string>): number[][] {
  const streams = texts.map((text) => {
    const stream = tokenizer.stream({ allowedSpecial })
    stream.write(Buffer.from(text))
    stream.end()
    return { stream, ids: new TokenBuffer() }
  })
  for (let isMore = true; isMore; )
    isMore = streams.map(({ stream, ids }) => stream.advance(ids)).includes(true)
  return streams.map(({ ids }) => [...ids])
}

test.skipIf(!hasRustLibrary)('the text of ids equals the library’s, decoder by decoder', async () => {
  const file = JSON.parse(UNCASED)
  const text = "Größe isn't the [MASK] unaffable, we're 'm . . ! don't do not x_y 'the'"
  for (const decoder of [file.decoder, null, { type: 'WordPiece', prefix: '#', cleanup: false }]) {
    const json = JSON.stringify({ ...file, decoder })
    const oracle = new RustLibrary(json)
    const { ids } = await oracle.encode(text, true)
    expect([...tokenizerOf(json).decode(ids).parts()].join('')).toBe(await oracle.decode(ids))
  }
})

const FLAGS = { special: false, lstrip: false, rstrip: false, single_word: false }

test.skipIf(!hasRustLibrary).each([true, false])(
  'an added token becomes text as it is searched (normalized: %s)',
  async (normalized) => {
    const file = JSON.parse(UNCASED)
    const id = Object.keys(file.model.vocab).length
    for (const content of ['GENE', 'ÉTÉ', '中国', 'THE']) {
      const json = JSON.stringify({
        ...file,
        added_tokens: [...file.added_tokens, { ...FLAGS, id, content, normalized }],
      })
      const oracle = new RustLibrary(json)
      const { ids } = await oracle.encode(`the ${content} the ${content.toLowerCase()}`, true)
      expect([...tokenizerOf(json).decode(ids).parts()].join('')).toBe(await oracle.decode(ids))
    }
  },
)

test('the text of many ids can be read in short parts, any number of times, and is never held as a whole', () => {
  const [the, ing] = [idOf('the'), idOf('##s')]
  const length = 1_000_000
  const text = tokenizer.decode({ length, at: (place) => (place % 2 === 0 ? the : ing) })
  for (let time = 0; time < 2; time++) {
    let units = 0
    let longest = 0
    for (const part of text.parts()) {
      if (units === 0) expect(part.slice(0, 10)).toBe('thes thes ')
      units += part.length
      longest = Math.max(longest, part.length)
    }
    expect(units).toBe((length / 2) * ' thes'.length - 1)
    expect(longest).toBeLessThanOrEqual(1 << 14)
  }
})

test('a token’s text is its own string', () => {
  const { vocab } = JSON.parse(UNCASED).model
  for (const [token, id] of Object.entries<number>(vocab)) expect(tokenizer.tokenText(id)).toBe(token)
  expect(tokenizer.vocabSize).toBe(Object.keys(vocab).length)
  expect(tokenizer.tokenText(tokenizer.vocabSize)).toBeUndefined()
  expect(tokenizer.tokenText(-1)).toBeUndefined()
})

test.skipIf(!hasRustLibrary)('without added tokens, without normalizer, with an empty prefix', async () => {
  const file = JSON.parse(UNCASED)
  const vocab = { '[UNK]': 0, a: 1, b: 2, ab: 3, É: 4, '\u0301': 5 }
  const json = JSON.stringify({
    ...file,
    ...{ added_tokens: [], normalizer: null, post_processor: null },
    model: { ...file.model, vocab, continuing_subword_prefix: '' },
  })
  const oracle = new RustLibrary(json)
  const ours = tokenizerOf(json)
  for (const text of ['ab a b abab', 'É e\u0301 aÉb', '\0a\u200bb', 'a\u0085b', 'abba.ab', '']) {
    const ids = tokenizeText(ours, text, { allowedSpecial: new Set(), addSpecialTokens: true })
    expect([...ids], text).toEqual((await oracle.encode(text, true)).ids)
  }
})

test('ids are added behind those of earlier texts', () => {
  const options = { allowedSpecial: new Set<string>() }
  const ids = TokenBuffer.of([7])
  expect(tokenizer.encodeShort('the dog', options, ids)).toBe(true)
  expect([...ids]).toEqual([7, ...tokenizeText(tokenizer, [Buffer.from('the dog')], options)])
})

test('a text of many characters, and a request for ranges, are left to a stream', () => {
  const allowedSpecial = new Set<string>()
  const ids = new TokenBuffer()
  expect(tokenizer.encodeShort('中'.repeat(4096), { allowedSpecial }, ids)).toBe(true)
  expect(tokenizer.encodeShort('中'.repeat(4097), { allowedSpecial }, ids)).toBe(false)
  expect(tokenizer.encodeShort('a', { allowedSpecial, ranges: true }, ids)).toBe(false)
  expect(ids).toHaveLength(4096)
})

test('a vocabulary without a token for unknown words: known words have ids, an unknown one is refused', async () => {
  const file = JSON.parse(
    readFileSync(new URL('../../../../models/tiny/tokenizer.json', import.meta.url), 'utf8'),
  )
  const six = tokenizerOf(JSON.stringify(file))
  const idsOf = (text: string) => {
    const list = new TokenBuffer()
    const stream = six.stream({ allowedSpecial: new Set(), ranges: true })
    stream.write(Buffer.from(text))
    stream.end()
    stream.advance(list)
    return Array.from({ length: list.length }, (_, index) => list.at(index))
  }
  expect(idsOf('fox jumps over dog')).toEqual([2, 3, 5, 1])
  expect(() => idsOf('fox jumps over cat')).toThrow(
    expect.objectContaining({
      code: 'tokenizer_unavailable',
      param: 'text',
      message: expect.stringContaining('bytes 15 to 18'),
    }),
  )
  if (!hasRustLibrary) return
  const oracle = new RustLibrary(JSON.stringify(file))
  expect((await oracle.encode('fox jumps over dog')).ids).toEqual([2, 3, 5, 1])
  await expect(oracle.encode('fox jumps over cat')).rejects.toThrow('Missing [UNK]')
})
