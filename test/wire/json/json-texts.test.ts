import { expect, test } from 'vitest'
import { Offsets } from '../../../src/first-layer/windows/offsets.js'
import { JsonText, JsonTexts } from '../../../src/wire/json/json-texts.js'

/** A text as it stands in a body, between other things. */
function jsonText(inside: string): JsonText {
  const bytes = Buffer.from(`{"text":"${inside}"}`)
  return new JsonText(bytes, 9, bytes.length - 2)
}

function whole(text: JsonText): string {
  return Buffer.concat(Array.from(text.pieces(), (piece) => Buffer.from(piece))).toString()
}

test.each(['\\n', '\\u00e9', '\\ud83d\\udd76', 'é', '🕶'])(
  'a text in pieces is whole, wherever %s lies beside the end of a piece',
  (character) => {
    for (let before = 65_520; before <= 65_537; before++) {
      for (const other of ['a', '\\t']) {
        const inside = `${other}${'a'.repeat(before - other.length)}${character.repeat(3)}${'b'.repeat(70_000)}`
        expect(whole(jsonText(inside)) === JSON.parse(`"${inside}"`), `${before} ${other}`).toBe(true)
      }
    }
  },
)

test('a text without escapes is not copied', () => {
  const bytes = Buffer.from(`"${'a'.repeat(200_000)}"`)
  for (const piece of new JsonText(bytes, 1, 200_001).pieces()) expect(piece.buffer).toBe(bytes.buffer)
})

test('every escape is the character it stands for', () => {
  const inside =
    '\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u007f\\u0080\\u07ff\\u0800\\uffff\\ud800\\udc00\\uDBFF\\uDFFF'
  expect(whole(jsonText(inside))).toBe(JSON.parse(`"${inside}"`))
  expect(jsonText(inside).toString()).toBe(JSON.parse(`"${inside}"`))
})

test('texts that are let go give their body back', () => {
  const places = [1, 4].map((at) => {
    const offsets = new Offsets()
    offsets.push(at)
    return offsets
  })
  const texts = new JsonTexts(Buffer.from('"abc"'), places[0]!, places[1]!, false)
  expect(Array.from(texts, String)).toEqual(['abc'])
  expect(texts.letGo()).toBe(5)
})
