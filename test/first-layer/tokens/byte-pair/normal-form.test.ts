import { expect, test } from 'vitest'
import {
  changedParts,
  lastBoundary,
  normalForm,
} from '../../../../src/first-layer/tokens/byte-pair/normal-form.js'

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

test('a long row of marks is sorted', () => {
  const row = '\u0301\u0316'.repeat(1500)
  expect(normalForm(`x${row}`)).toBe(`x${'\u0316'.repeat(1500)}${'\u0301'.repeat(1500)}`)
})

test('text in normal form C is returned unchanged', () => {
  const texts = ['naïve “quotes” — €', 'Việt Nam', 'नमस्ते', 'สวัสดี', '漢字かな𠮷', '한국어', '👩‍👩‍👧❤️']
  for (const text of texts) expect([...changedParts(text)], text).toEqual([])
})

test('a text can be cut before a character that nothing before it moves behind or composes with', () => {
  const before = ['a', 'e\u0301', '\u0301', '\u1100', '\uac00', '\u09c7', '\u{11131}', '\u30ab']
  const wrong: string[] = []
  for (let codePoint = 0; codePoint < 0x20000; codePoint++) {
    if (codePoint >= 0xd800 && codePoint < 0xe000) continue
    const character = String.fromCodePoint(codePoint)
    for (const text of before)
      if (
        lastBoundary(text + character) === text.length &&
        normalForm(text + character) !== normalForm(text) + normalForm(character)
      )
        wrong.push(text + character)
  }
  expect(wrong).toEqual([])
  expect(lastBoundary('ab')).toBe(1)
  expect(lastBoundary('a\u0301')).toBe(0)
  expect(lastBoundary('a😀')).toBe(1)
})
