import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import { bytesOfToken } from '../../../src/first-layer/tokens/vocabulary.js'
import { decodedJson, TEXT_PART_BYTES, vocabularyText } from '../../../src/service/answer/text-of-ids.js'
import { collect } from '../../collect.js'
import { DIFFERENT } from '../../first-layer/tokens/expect-same-ids.js'
import { randomLongText, randomNumbers, seedOfThisRun } from '../../first-layer/tokens/random-texts.js'
import { tokenizeText } from '../../first-layer/tokens/tokenize-text.js'
import { checkProperty, times } from '../../property.js'
import { bytesOf, textOf } from '../../twins/tokens/text-of-ids.js'

const MAX_BLOCK_BYTES = 1 << 18

const encodings = await Promise.all(DIFFERENT.map((name) => loadEncoding(name)))
const [gpt2] = encodings

async function answerOf(encoding: (typeof encodings)[number], ids: readonly number[]) {
  const text = vocabularyText(encoding.vocabulary, ids, bytesOf(encoding, ids).length)
  const answer = await collect(decodedJson(text))
  expect(Math.max(...answer.blocks)).toBeLessThanOrEqual(MAX_BLOCK_BYTES)
  return answer.bytes
}

function expected(encoding: (typeof encodings)[number], ids: readonly number[]): Buffer {
  return Buffer.from(JSON.stringify(textOf(bytesOf(encoding, ids))))
}

/** Ids whose tokens are single bytes: of these come all kinds of broken UTF-8. */
const byteIds = (encoding: (typeof encodings)[number]) =>
  Array.from({ length: encoding.vocabSize }, (_, id) => id).filter(
    (id) => bytesOfToken(encoding.vocabulary, id)?.length === 1,
  )

describe.each(encodings)('$name', (encoding) => {
  const tokens = Array.from({ length: encoding.vocabSize }, (_, id) => id).filter((id) =>
    bytesOfToken(encoding.vocabulary, id),
  )
  const oneOf = (ids: readonly number[]) => fc.nat(ids.length - 1).map((i) => ids[i])
  const anyId = fc.oneof(oneOf(tokens), oneOf(byteIds(encoding)))

  test('any ids give what the bytes of all of them give at once', async () => {
    await checkProperty(
      fc.asyncProperty(fc.array(anyId, { minLength: 1, maxLength: 60 }), async (ids) => {
        expect((await answerOf(encoding, ids)).equals(expected(encoding, ids))).toBe(true)
      }),
      50,
    )
  })

  test('the parts of a long text meet between characters, wherever its bytes are cut', async () => {
    const random = randomNumbers(seedOfThisRun())
    for (let round = 0; round < times(1); round++) {
      const text = randomLongText(random, 30_000)
      const ids = [...tokenizeText(encoding, text, { allowedSpecial: new Set() })]
      expect((await answerOf(encoding, ids)).toString()).toBe(JSON.stringify({ text, lossy: false }))
    }
  })
})

describe('where two parts meet', () => {
  const single = new Map(byteIds(gpt2).map((id) => [bytesOfToken(gpt2.vocabulary, id)![0], id]))
  const idOf = (byte: number) => single.get(byte)!
  const x = idOf(0x78)

  test.each([
    ['two bytes', [0xc3, 0xa9]],
    ['three', [0xe4, 0xb8, 0xad]],
    ['four', [0xf0, 0x9f, 0xa6, 0x99]],
    ['two of four', [0xf0, 0x9f]],
    ['continuations', [0x80, 0x80, 0x80, 0x80]],
    ['an overlong form', [0xc0, 0xaf, 0xe0, 0x80, 0xaf]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['beyond the last plane', [0xf4, 0x90, 0x80, 0x80]],
  ])('%s on the border are what they are elsewhere', async (_, bytes) => {
    for (let before = TEXT_PART_BYTES - 6; before < TEXT_PART_BYTES + 2; before++) {
      const ids = [...new Array<number>(before).fill(x), ...bytes.map(idOf), ...new Array<number>(20).fill(x)]
      expect((await answerOf(gpt2, ids)).equals(expected(gpt2, ids)), `after ${before}`).toBe(true)
      expect((await answerOf(gpt2, ids.slice(0, -20))).equals(expected(gpt2, ids.slice(0, -20)))).toBe(true)
    }
  })
})

test('control characters take six bytes each, and fit', async () => {
  const ids = [...tokenizeText(gpt2, '\u0001'.repeat(100_000), { allowedSpecial: new Set() })]
  const answer = await answerOf(gpt2, ids)
  expect(answer.length).toBe(600_000 + '{"text":"","lossy":false}'.length)
})

test('ids come in whatever holds them', async () => {
  const given = [15496, 11, 995, 0]
  for (const ids of [given, Int32Array.from(given), TokenBuffer.of(given)]) {
    const body = decodedJson(vocabularyText(gpt2.vocabulary, ids, 13))
    expect((await collect(body)).bytes.toString()).toBe('{"text":"Hello, world!","lossy":false}')
  }
})

describe('a text of many ids', () => {
  const ids = new Int32Array(1_000_000)

  test('is never held as a whole', async () => {
    const { bytes, blocks } = await collect(decodedJson(vocabularyText(gpt2.vocabulary, ids, ids.length)))
    expect(bytes.equals(Buffer.from(JSON.stringify({ text: '!'.repeat(ids.length), lossy: false })))).toBe(
      true,
    )
    expect(Math.max(...blocks)).toBeLessThanOrEqual(MAX_BLOCK_BYTES)
  })
})
