import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ENCODING_NAMES, loadEncoding } from '../../src/tokens/encoding.js'
import { tokenizeBytes, tokenizeText } from '../../src/tokens/tokenize.js'
import { bytesOf } from '../twins/tokens/text-of-ids.js'

const seed = Date.now() % 2 ** 31
const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ..." \n\r\t'slremdvtSLREVaAzZ0123.,!/-",
      '  ',
      '<|endoftext|>',
      '<|',
      '\u017f',
      '\u0301',
      '中',
      'é',
      'É',
      'ʰ',
    ),
    fc.string({ unit: 'binary', maxLength: 2 }),
  ),
  maxLength: 60,
})

describe.each(ENCODING_NAMES)('%s', (name) => {
  test(`gives the same ids however the bytes are cut (seed ${seed})`, async () => {
    const encoding = await loadEncoding(name)
    const allowed = new Set(encoding.specialTokens.keys())
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.nat(64), { maxLength: 6 }), async (text, cuts) => {
        const utf8 = Buffer.from(text)
        const edges = [0, ...cuts.map((cut) => Math.min(cut, utf8.length)).sort((a, b) => a - b), utf8.length]
        const chunks = edges.slice(1).map((end, i) => utf8.subarray(edges[i], end))
        const whole = await tokenizeText(encoding, text, allowed)
        expect([...(await tokenizeBytes(encoding, chunks, allowed))]).toEqual([...whole])
        expect(bytesOf(encoding, [...whole]).equals(utf8)).toBe(true)
      }),
      { seed, numRuns: 500 },
    )
  })
})
