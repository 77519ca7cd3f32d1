import { get_encoding, type Tiktoken } from 'tiktoken'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import type { ByteTokenizer } from '../../../src/first-layer/tokens/tokenizer.js'
import { bytesOfToken } from '../../../src/first-layer/tokens/vocabulary.js'
import { stride, times } from '../../property.js'
import { DIFFERENT, expectSameIds } from './expect-same-ids.js'
import { randomNumbers, randomText, seedOfThisRun } from './random-texts.js'
import { tokenizeText } from './tokenize-text.js'

const none: ReadonlySet<string> = new Set()

describe.each(DIFFERENT)('%s', (name) => {
  let encoding: ByteTokenizer
  let npm: Tiktoken
  beforeAll(async () => {
    encoding = await loadEncoding(name)
    npm = get_encoding(name)
  })
  afterAll(() => npm.free())

  test('gives each token that is one piece of text its own id', async () => {
    const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    const step = stride(16)
    let alone = 0
    for (let id = 0; id < encoding.vocabSize; id += step) {
      const bytes = bytesOfToken(encoding.vocabulary, id)
      let text: string
      try {
        text = strict.decode(bytes)
      } catch {
        continue // part of a character
      }
      if (!bytes || id === encoding.specialTokens.get(text)) continue
      const ids = tokenizeText(encoding, text, { allowedSpecial: none })
      if (ids.length === 1 && ids.at(0) === id) alone++
      // A few tokens are more than one piece, which no text can bring.
      else expect([...ids], `${id} ${JSON.stringify(text)}`).toEqual([...npm.encode_ordinary(text)])
    }
    expect((alone * step) / encoding.vocabSize).toBeGreaterThan(0.96)
  })

  test('gives the ids of tiktoken over random texts', async () => {
    const random = randomNumbers(seedOfThisRun())
    for (let count = 0; count < times(300); count++) {
      const text = randomText(random, 30)
      const ids = tokenizeText(encoding, text, { allowedSpecial: none })
      expectSameIds(ids, npm.encode_ordinary(text), text)
    }
  })

  test('merges words of every length up to 80 bytes, many side by side', async () => {
    const random = randomNumbers(seedOfThisRun())
    for (const letters of ['etaoinshr', 'aab', 'жизньмор', '中文字词语我你他她', 'éàüßñ', '=', 'éab中']) {
      const alphabet = [...letters]
      let text = ''
      for (let length = 1; length <= 80; length++) {
        for (let word = 0; word < 4; word++) {
          let letters = ''
          while (Buffer.byteLength(letters) < length)
            letters += alphabet[Math.floor(random() * alphabet.length)]
          text += ` ${letters}`
        }
      }
      expectSameIds(tokenizeText(encoding, text, { allowedSpecial: none }), npm.encode_ordinary(text), text)
    }
  })

  test('merges characters of three bytes beside any other', async () => {
    const random = randomNumbers(seedOfThisRun())
    const between = (first: number, last: number) =>
      String.fromCodePoint(first + Math.floor(random() * (last - first + 1)))
    const kinds = [
      () => between(0x4e00, 0x9fff),
      () => between(0x4e00, 0x9fff),
      () => between(0x3041, 0x30fe),
      () => between(0xac00, 0xd7a3),
      () => between(0x0900, 0x1fff),
      () => between(0x2000, 0x2fff),
      () => between(0xf900, 0xffef),
      () => between(0x61, 0x7a),
      () => between(0xc0, 0x7ff),
      () => between(0x20000, 0x2a6df),
    ]
    let text = ''
    for (let codePoint = 0x800; codePoint < 0x10000; codePoint += stride(8))
      if (codePoint < 0xd800 || codePoint > 0xdfff) text += ` ${String.fromCodePoint(codePoint)}`
    expectSameIds(tokenizeText(encoding, text, { allowedSpecial: none }), npm.encode_ordinary(text), text)
    for (let part = 0; part < times(1); part++) {
      let text = ''
      for (let word = 0; word < 2000; word++) {
        const few = kinds.slice(0, 1 + Math.floor(random() * kinds.length))
        for (let left = 1 + Math.floor(random() * 24); left > 0; left--)
          text += few[Math.floor(random() * few.length)]!()
        text += random() < 0.5 ? ' ' : '，'
      }
      expectSameIds(tokenizeText(encoding, text, { allowedSpecial: none }), npm.encode_ordinary(text), text)
    }
  })

  test('encodes indents of every length up to 140 bytes, with or without another space among the blanks', async () => {
    const random = randomNumbers(seedOfThisRun())
    let text = ''
    for (let length = 0; length <= 140; length++) {
      const blanks = ' '.repeat(length)
      text += `{\n${blanks}a\n${blanks}}\n\n${blanks}b\r\n${blanks}c${blanks}d`
      for (const other of ['\n', '\r', '\t', '\v', '\u00a0', '\u2003']) {
        const place = Math.floor(random() * (length + 1))
        text += `\n${blanks.slice(0, place)}${other}${blanks.slice(place)}e`
      }
    }
    expectSameIds(tokenizeText(encoding, text, { allowedSpecial: none }), npm.encode_ordinary(text), text)
  })
})

test('ids stay exact when more pieces come than the table of pieces holds', async () => {
  const encoding = await loadEncoding('gpt2')
  const npm = get_encoding('gpt2')
  const random = randomNumbers(seedOfThisRun())
  const word = () =>
    ` ${Array.from({ length: 6 }, () => 'bcdfghjklmnpqrstvwxz'[Math.floor(random() * 20)]).join('')}`
  // 180,000 different words: more than the table takes besides its vocabulary.
  for (let part = 0; part < 9; part++) {
    const text = `The same words in each part. ${Array.from({ length: 20_000 }, word).join('')}`
    const ids = tokenizeText(encoding, text, { allowedSpecial: none })
    expectSameIds(ids, npm.encode_ordinary(text), text)
  }
  npm.free()
})

test('150,000 spaces are tokenized exactly', async () => {
  const gpt2 = await loadEncoding('gpt2')
  const ids = tokenizeText(gpt2, ' '.repeat(150_000), { allowedSpecial: none })
  expect(ids.length).toBe(150_000)
  expect(new Set(ids)).toEqual(new Set([220]))
})

test('a piece of a megabyte is tokenized in many turns, with ids at each', async () => {
  const gpt2 = await loadEncoding('gpt2')
  const stream = gpt2.stream({ allowedSpecial: none })
  const ids = new TokenBuffer()
  const part = Buffer.from('ab'.repeat(32_768))
  let most = 0
  let early = 0
  for (let sent = 0; sent < 16; sent++) {
    stream.write(part)
    for (let more = true; more; ) {
      const before = ids.length
      more = stream.advance(ids) === true
      most = Math.max(most, ids.length - before)
    }
    early = ids.length
  }
  stream.end()
  while (stream.advance(ids));
  // 'ab' is a token of gpt2, 'abab' is none.
  expect(ids.length).toBe((16 * 65_536) / 2)
  expect(early).toBeGreaterThan(ids.length - 16_384)
  expect(most).toBeLessThan(40_000)
})
