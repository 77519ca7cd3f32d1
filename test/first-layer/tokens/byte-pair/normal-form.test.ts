import { expect, test, vi } from 'vitest'
import { doubtfulPart, normalForm } from '../../../../src/first-layer/tokens/byte-pair/normal-form.js'

test.each([
  ['e\u0301', '\u00e9'],
  ['a\u0328s\u0326a\u0311', '\u0105\u0219\u0203'], // marks of characters below U+0300 alone
  ['a\u0301\u0316', 'a\u0316\u0301'.normalize('NFC')],
  ['\u212b', '\u00c5'],
  ['\u0f93', '\u0f92\u0fb7'], // a mark that decomposes
  // U+08CB is of Unicode 14: the library takes it for a letter, which nothing moves across.
  ['\u08cb\u0338', '\u08cb\u0338'],
  ['e\u0301\u08cb\u0338e\u0301', '\u00e9\u08cb\u0338\u00e9'],
])('%j is %j', (text, normal) => {
  expect(normalForm(text)).toBe(normal)
})

test('a long row of marks is sorted without Node’s normalize, which takes quadratic time', () => {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  try {
    const row = '\u0301\u0316'.repeat(1500)
    expect(normalForm(`x${row}`)).toBe(`x${'\u0316'.repeat(1500)}${'\u0301'.repeat(1500)}`)
    const lengths = normalize.mock.contexts.map((text) => (text as unknown as string).length)
    expect(Math.max(...lengths)).toBeLessThan(8)
    expect(lengths.length).toBeLessThan(10)
  } finally {
    normalize.mockRestore()
  }
})

test('text in normal form C is returned unchanged', () => {
  const normalize = vi.spyOn(String.prototype, 'normalize')
  try {
    const texts = ['naïve “quotes” — €', 'Việt Nam', 'नमस्ते', 'สวัสดี', '漢字かな𠮷', '한국어', '👩‍👩‍👧❤️']
    for (const text of texts) expect(doubtfulPart(text, 0), text).toBeUndefined()
    expect(normalize).not.toHaveBeenCalled()
  } finally {
    normalize.mockRestore()
  }
})
