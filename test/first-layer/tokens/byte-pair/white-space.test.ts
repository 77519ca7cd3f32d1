import { expect, test } from 'vitest'
import {
  characterBefore,
  isContinuation,
  spaceAt,
} from '../../../../src/first-layer/tokens/byte-pair/literals.js'

const characters = Array.from({ length: 0x10000 }, (_, codePoint) => codePoint)
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint))

test('white space is Unicode’s White_Space, each by its bytes', () => {
  const wrong = characters.filter((character) => {
    const utf8 = Buffer.from(`${character}a`)
    return spaceAt(utf8, 0) !== (/\p{White_Space}/u.test(character) ? utf8.length - 1 : 0)
  })
  expect(wrong).toEqual([])
  expect(spaceAt(Buffer.from('😀'), 0)).toBe(0)
})

test('the character before a place begins at its first byte', () => {
  const text = Buffer.from('a\u00e9\u2001😀')
  expect([1, 3, 6, 10].map((at) => characterBefore(text, at))).toEqual([0, 1, 3, 6])
  expect([...text].filter(isContinuation)).toHaveLength(1 + 2 + 3)
})
