import { expect, test } from 'vitest'
import { normalForm } from '../../../src/tokens/byte-pair/normal-form.js'

test.each([
  ['e\u0301', '\u00e9'],
  ['a\u0301\u0316', 'a\u0316\u0301'.normalize('NFC')],
  ['\u212b', '\u00c5'],
  ['\u0f93', '\u0f92\u0fb7'], // a mark that decomposes
  // U+08CB is of Unicode 14: the library takes it for a letter, which nothing moves across.
  ['\u08cb\u0338', '\u08cb\u0338'],
  ['e\u0301\u08cb\u0338e\u0301', '\u00e9\u08cb\u0338\u00e9'],
])('%j is %j', (text, normal) => {
  expect(normalForm(text)).toBe(normal)
})
