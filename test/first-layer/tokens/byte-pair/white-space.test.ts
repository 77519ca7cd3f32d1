import { expect, test } from 'vitest'
import { spacesAtEnd, spacesIn } from '../../../../src/first-layer/tokens/byte-pair/literals.js'

const characters = Array.from({ length: 0x10000 }, (_, codePoint) => codePoint)
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint))

test('white space is Unicode’s White_Space, each by its bytes', () => {
  const wrong = [...characters, '😀'].filter((character) => {
    const size = /\p{White_Space}/u.test(character) ? Buffer.byteLength(character) : 0
    const [before, behind] = [`${character}a`, `a${character}`].map((text) => Buffer.from(text))
    return spacesIn(before!) !== size || spacesAtEnd(behind!) !== size
  })
  expect(wrong).toEqual([])
})

test('white space is counted as far as it goes', () => {
  const spaces = ' \u3000\u00a0\n'.repeat(9000)
  const size = Buffer.byteLength(spaces)
  expect(spacesIn(Buffer.from(`${spaces}é \u3000`))).toBe(size)
  expect(spacesAtEnd(Buffer.from(`\u3000 é${spaces}`))).toBe(size)
})
