import { expect, test } from 'vitest'
import { isOnlyStarters, lastPart, parts } from '../../../src/tokens/byte-pair/normal-form.js'

test('characters that are taken for starters are their own normal form, and compose with nothing before', () => {
  const before = ['a', 'A', 'é', 'ᄀ', 'か', '\u0301', '\u0338', 'ಕ', '\u09c7']
  for (let codePoint = 0; codePoint < 0x110000; codePoint++) {
    if (codePoint >= 0xd800 && codePoint < 0xe000) continue
    const character = String.fromCodePoint(codePoint)
    if (!isOnlyStarters(character)) continue
    if (/\p{M}/u.test(character) || character.normalize('NFC') !== character)
      expect.fail(`U+${codePoint.toString(16)} is no starter`)
    for (const first of before)
      if ((first + character).normalize('NFC') !== first + character) expect.fail(first + character)
  }
  expect(isOnlyStarters('plain “text”, 中文, Привет, 😀')).toBe(true)
  expect(isOnlyStarters('e\u0301')).toBe(false)
})

test('a text is cut before starters only', () => {
  expect(parts('ae\u0301\u0323b')).toEqual(['a', 'e\u0301\u0323', 'b'])
  expect(lastPart('abe\u0301')).toBe(2)
  expect(lastPart('\u0301\u0301')).toBe(0)
})
