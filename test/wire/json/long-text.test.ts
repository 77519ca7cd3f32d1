import { expect, test } from 'vitest'
import { LongText } from '../../../src/wire/json/long-text.js'

/** A text as it stands in a body, between other things. */
function longText(inside: string): LongText {
  const bytes = Buffer.from(`{"text":"${inside}"}`)
  return new LongText(bytes, 9, bytes.length - 2)
}

function whole(text: LongText): string {
  return Buffer.concat(Array.from(text.pieces(), (piece) => Buffer.from(piece))).toString()
}

test.each(['\\n', '\\u00e9', '\\ud83d\\udd76', 'é', '🕶'])(
  'a text in pieces is whole, wherever %s lies beside the end of a piece',
  (character) => {
    for (let before = 65_520; before <= 65_537; before++) {
      for (const other of ['a', '\\t']) {
        const inside = `${other}${'a'.repeat(before - other.length)}${character.repeat(3)}${'b'.repeat(70_000)}`
        expect(whole(longText(inside)) === JSON.parse(`"${inside}"`), `${before} ${other}`).toBe(true)
      }
    }
  },
)

test('a text without escapes is not copied', () => {
  const bytes = Buffer.from(`"${'a'.repeat(200_000)}"`)
  for (const piece of new LongText(bytes, 1, 200_001).pieces()) expect(piece.buffer).toBe(bytes.buffer)
})

test('every escape is the character it stands for', () => {
  const inside =
    '\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u007f\\u0080\\u07ff\\u0800\\uffff\\ud800\\udc00\\uDBFF\\uDFFF'
  expect(whole(longText(inside))).toBe(JSON.parse(`"${inside}"`))
  expect(longText(inside).toString()).toBe(JSON.parse(`"${inside}"`))
})

test('a text that is let go gives its body back', () => {
  const text = longText('abc')
  expect(text.letGo()).toBe(14)
})
