import { beforeAll, describe, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../../../src/first-layer/tokens/tokenizer.js'
import { times } from '../../property.js'
import { loadTwin } from '../../twins/tokens/twin-encoding.js'
import { DIFFERENT, expectSameIds } from './expect-same-ids.js'
import { randomLongText, randomNumbers, randomText, seedOfThisRun } from './random-texts.js'
import { tokenizeText } from './tokenize-text.js'

const none: ReadonlySet<string> = new Set()
const seed = seedOfThisRun()

describe.each(DIFFERENT)('%s equals its readable twin', (name) => {
  let encoding: Tokenizer
  let twin: Awaited<ReturnType<typeof loadTwin>>
  const random = randomNumbers(seed)
  const same = async (text: string, allowedSpecial = none) => {
    const ids = tokenizeText(encoding, text, { allowedSpecial })
    expectSameIds(ids, twin(text, allowedSpecial), text)
  }
  beforeAll(async () => {
    encoding = await loadEncoding(name)
    twin = await loadTwin(name)
  })

  test('over random texts with special tokens among them', async () => {
    const all = new Set(encoding.specialTokens.keys())
    const sets = [all, none, new Set(['<|endoftext|>'])]
    const literals = [...all, '<|', '<|endoftext', '|>', '']
    for (let count = 0; count < times(80); count++) {
      const literal = literals[count % literals.length]
      await same(
        randomText(random, 15) + literal + randomText(random, 10) + literal + literal,
        sets[count % 3],
      )
    }
  })

  test('over longer runs of one or two kinds of character', async () => {
    for (let count = 0; count < times(25); count++) await same(randomLongText(random, 600))
  })

  test('where pieces meet the borders of 16 and 64 bytes', async () => {
    const tails = [
      "it's HTTPServer's 1234567\n\n  x",
      "'ll''re !?\r\n/\n\t\t9",
      'é中 Ab\u0301c   \n z',
      '—\u2003 \u2003.',
      "it'ſ HE'ſ 'ſx слово's",
    ]
    for (const tail of tails)
      for (let length = 0; length < 140; length += length % 16 === 14 || length % 16 === 15 ? 1 : 2)
        for (const unit of ['a', ' ', 'A', '7', '!', 'a ', "'", '\n'])
          await same(unit.repeat(length).slice(-length) + tail)
  })

  test('where whitespace between newlines meets the borders', async () => {
    for (let before = 0; before < 68; before += 6)
      for (let gap = 0; gap < 68; gap++) {
        await same(`${'a'.repeat(before)}\n${' '.repeat(gap)}\nb c`)
        await same(`${'a '.repeat(before / 2)}\n${'\t'.repeat(gap)}b;\n/*\n */`)
      }
  })

  test('over rules and long words, around the lengths at which their work is cut up', async () => {
    const units = ['-', '=', ' ', '─', '\n', '*', 'ab', '.-']
    for (let count = 0; count < times(5); count++) {
      let text = ''
      while (text.length < 3000) {
        const unit = units[Math.floor(random() * units.length)]!
        const length = random() < 0.7 ? random() * 90 : 400 + random() * 250
        text += `${unit.repeat(length / unit.length)}${random() < 0.5 ? '\n| a' : 'é'}`
      }
      await same(text)
    }
  })

  test('over pieces of forty thousand bytes and more', async () => {
    const pick = (from: string, count: number) =>
      Array.from({ length: count }, () => from[Math.floor(random() * from.length)]).join('')
    await same(pick('ab', 40_000))
    await same(pick('etaoins', 40_000))
    await same(pick('.,', 40_000))
    await same(pick('的一是不了人我在有他', 14_000))
    // Only the text after the run decides where the piece ends.
    await same(`x\n${' '.repeat(100_000)}y`)
    await same(`${' '.repeat(100_000)}\n${'\t'.repeat(50_000)}`)
    await same(`中${'AB'.repeat(50_000)}`)
    await same(`中${'AB'.repeat(50_000)}c`)
  })
})

describe('documents that are tokenized in turns', () => {
  test.each(['gpt2', 'o200k_base'] as const)('do not disturb each other: %s', async (name) => {
    const encoding = await loadEncoding(name)
    const random = randomNumbers(seed)
    const texts = Array.from({ length: 12 }, (_, i) =>
      i % 3 === 0
        ? 'ab中AAb '[i % 7]!.repeat(20_000 + i)
        : i % 3 === 1
          ? randomText(random, 3000)
          : `中${'A\n '[i % 2]!.repeat(30_000)}`,
    )
    const documents = texts.map((text) => ({
      utf8: Buffer.from(text),
      sent: 0,
      stream: encoding.stream({ allowedSpecial: none }),
      ids: new TokenBuffer(),
      done: false,
    }))
    while (documents.some(({ done }) => !done)) {
      const document = documents[Math.floor(random() * documents.length)]!
      const { utf8, stream, ids } = document
      if (document.sent < utf8.length) {
        const end = Math.min(utf8.length, document.sent + Math.floor(random() * 9000))
        stream.write(utf8.subarray(document.sent, end))
        document.sent = end
        if (end === utf8.length) stream.end()
      }
      document.done = !stream.advance(ids) && document.sent === utf8.length
    }
    for (const [i, { ids }] of documents.entries())
      expectSameIds(ids, tokenizeText(encoding, texts[i]!, { allowedSpecial: none }), texts[i]!)
  })
})
