import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { driveAsync } from '../../../src/first-layer/running/drive.js'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { ENCODING_NAMES } from '../../../src/first-layer/tokens/encodings.js'
import { tokenizeBytes, tokenizeText } from '../../../src/first-layer/tokens/tokenize.js'
import { checkProperty } from '../../property.js'

const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      'a',
      ' the',
      '\0',
      '\u2028',
      'é',
      '中',
      '🦙',
      '<|endoftext|>',
      '<|endofprompt|>',
      '<|',
      '\u0301',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  ),
  maxLength: 60,
})

describe.each(ENCODING_NAMES)('%s counts the code points of a text', (name) => {
  test('however it comes', async () => {
    const encoding = await loadEncoding(name)
    const all = new Set(encoding.specialTokens.keys())
    await checkProperty(
      fc.asyncProperty(texts, fc.array(fc.nat(200), { maxLength: 5 }), async (text, cuts) => {
        const characters = [...text].length
        const utf8 = Buffer.from(text)
        const edges = [0, ...cuts.map((cut) => Math.min(cut, utf8.length)).sort((a, b) => a - b), utf8.length]
        const chunks = edges.slice(1).map((end, i) => utf8.subarray(edges[i], end))
        for (const allowed of [new Set<string>(), all]) {
          expect(
            (await driveAsync(tokenizeText(encoding, text, { allowedSpecial: allowed }))).characters,
          ).toBe(characters)
          expect(
            (await driveAsync(tokenizeBytes(encoding, chunks, { allowedSpecial: allowed }))).characters,
          ).toBe(characters)
        }
      }),
      100,
    )
  })

  test.each([
    ['ASCII', 'The tide comes in. ', 20_000],
    ['two bytes each', 'é', 100_001],
    ['of all lengths', 'aé中🦙', 70_001],
    ['one word without an end', '🦙', 100_000],
    ['with special tokens', '🦙<|endoftext|>中', 20_000],
  ])('in a long text, %s', async (_, unit, times) => {
    const encoding = await loadEncoding(name)
    const text = unit.repeat(times)
    const { characters } = await driveAsync(
      tokenizeText(encoding, text, { allowedSpecial: new Set(['<|endoftext|>']) }),
    )
    expect(characters).toBe([...unit].length * times)
  })
})
