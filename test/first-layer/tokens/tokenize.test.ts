import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { bytesOf } from '../../twins/tokens/text-of-ids.js'
import { DIFFERENT } from './expect-same-ids.js'
import { tokenizeText } from './tokenize-text.js'

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

describe.each(DIFFERENT)('%s', (name) => {
  test(`gives the same ids, and counts the characters, however the bytes are cut (seed ${seed})`, async () => {
    const encoding = await loadEncoding(name)
    const allowed = new Set(encoding.specialTokens.keys())
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.nat(64), { maxLength: 6 }), async (text, cuts) => {
        const utf8 = Buffer.from(text)
        const edges = [0, ...cuts.map((cut) => Math.min(cut, utf8.length)).sort((a, b) => a - b), utf8.length]
        const chunks = edges.slice(1).map((end, i) => utf8.subarray(edges[i], end))
        const whole = tokenizeText(encoding, text, { allowedSpecial: allowed })
        const cut = tokenizeText(encoding, chunks, { allowedSpecial: allowed })
        expect([...cut]).toEqual([...whole])
        const { length } = [...text]
        expect([whole.characters, cut.characters]).toEqual([length, length])
        expect(bytesOf(encoding, [...whole]).equals(utf8)).toBe(true)
      }),
      { seed, numRuns: 200 },
    )
  })

  test.each([
    ['ASCII', 'The tide comes in. ', 20_000],
    ['two bytes each', 'é', 100_001],
    ['of all lengths', 'aé中🦙', 70_001],
    ['one word without an end', '🦙', 100_000],
    ['with special tokens', '🦙<|endoftext|>中', 20_000],
  ])('counts the characters of a long text, %s', async (_, unit, times) => {
    const encoding = await loadEncoding(name)
    const allowedSpecial = new Set(['<|endoftext|>'])
    const { characters } = tokenizeText(encoding, unit.repeat(times), { allowedSpecial })
    expect(characters).toBe([...unit].length * times)
  })
})

test.each(DIFFERENT)('%s keeps a contraction whole wherever the text is cut', async (name) => {
  const encoding = await loadEncoding(name)
  const none = new Set<string>()
  const text = "we'll they've you're I'm he'd it's don't I'LL THEY'VE 'tis rock'n'roll '"
  const utf8 = Buffer.from(text)
  const whole = [...tokenizeText(encoding, text, { allowedSpecial: none })]
  for (let cut = 0; cut <= utf8.length; cut++) {
    const parts = [utf8.subarray(0, cut), utf8.subarray(cut)]
    expect([...tokenizeText(encoding, parts, { allowedSpecial: none })], `cut at ${cut}`).toEqual(whole)
  }
  const single = Array.from(utf8, (byte) => Uint8Array.of(byte))
  expect([...tokenizeText(encoding, single, { allowedSpecial: none })]).toEqual(whole)
})

test('tokenizing a long text in parts never cuts a character', async () => {
  const gpt2 = await loadEncoding('gpt2')
  for (const before of [65_534, 65_535, 65_536, 131_070, 131_071]) {
    const text = `${'a '.repeat(65_536).slice(0, before)}🦙${'b'.repeat(10)}`
    const ids = tokenizeText(gpt2, text, { allowedSpecial: new Set() })
    expect([...ids]).toEqual([...tokenizeText(gpt2, [Buffer.from(text)], { allowedSpecial: new Set() })])
    expect(bytesOf(gpt2, [...ids]).toString()).toBe(text)
  }
})

test('<|endoftext|> as ordinary text is seven tokens of gpt2, and a literal of no encoding is refused', async () => {
  const gpt2 = await loadEncoding('gpt2')
  const idsOf = async (...allowed: string[]) => [
    ...tokenizeText(gpt2, '<|endoftext|>', { allowedSpecial: new Set(allowed) }),
  ]
  expect(await idsOf()).toEqual([27, 91, 437, 1659, 5239, 91, 29])
  expect(await idsOf('<|endoftext|>')).toEqual([50256])
  expect(() => gpt2.stream({ allowedSpecial: new Set(['<|nothing|>']) })).toThrow(
    '"<|nothing|>" is no special token',
  )
})
