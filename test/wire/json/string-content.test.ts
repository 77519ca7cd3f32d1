import fc from 'fast-check'
import { expect, test } from 'vitest'
import { run } from '../../../src/first-layer/steps.js'
import type { GivenTexts } from '../../../src/wire/given.js'
import { contentEnd } from '../../../src/wire/json/string-content.js'
import { TextReader } from '../../../src/wire/json/text-reader.js'
import { checkProperty } from '../../property.js'

const ESCAPES = ['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t']
const unit = fc
  .oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0, max: 0xd7ff }), fc.constant(0xffff))
  .map((value) => `\\u${value.toString(16).padStart(4, '0')}`)
const pair = fc.constantFrom('\\ud83d\\ude00', '\\uDBFF\\uDFFF', '\\ud800\\udc00')
const plain = fc.constantFrom(
  'a',
  'word ',
  'é',
  '\u20ac',
  '🕶',
  '/',
  '\u007f',
  'x'.repeat(15),
  'y'.repeat(130),
)
const repeated = fc
  .tuple(fc.oneof(plain, fc.constantFrom(...ESCAPES), unit, pair), fc.integer({ min: 1, max: 300 }))
  .map(([part, times]) => part.repeat(times))
const content = fc
  .array(fc.oneof(plain, fc.constantFrom(...ESCAPES), unit, pair, repeated), { maxLength: 60 })
  .map((parts) => parts.join(''))

/** Where the kernel stops in `text`, and what it has written. */
function read(text: string, end?: number) {
  const bytes = Buffer.from(text)
  const parts: Buffer[] = []
  const at = contentEnd(bytes, 0, end ?? bytes.length, (utf8) => parts.push(Buffer.from(utf8)))
  return { at, text: Buffer.concat(parts).toString() }
}

/** A field’s text as the reader of bodies finds it, in steps of 16 KiB. */
function readText(json: string): GivenTexts {
  const bytes = Buffer.from(json)
  const reader = new TextReader(bytes, 'text', 1)
  for (let at = 0; !reader.isDone; ) at = reader.step(at, Math.min(at + 16_384, bytes.length))
  let texts: GivenTexts | undefined
  const rest = reader.finish((found) => {
    texts = found
  })
  if (rest !== undefined) run(rest)
  return texts!
}

test('a string’s content is the text that JSON.parse gives, up to its quote', async () => {
  await checkProperty(
    fc.asyncProperty(content, async (text) => {
      const found = read(`${text}","next`)
      expect(found.at).toBe(Buffer.byteLength(text))
      expect(found.text === JSON.parse(`"${text}"`)).toBe(true)
    }),
    300,
  )
})

test('a long text in a body is the text that JSON.parse gives', async () => {
  await checkProperty(
    fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 12 }), async (parts) => {
      const text = parts.join('')
      fc.pre(text !== '')
      const [found] = readText(`"${text}"`)
      const pieces = Array.from(found!.pieces(), (piece) => Buffer.from(piece))
      expect(Buffer.concat(pieces).toString() === JSON.parse(`"${text}"`)).toBe(true)
    }),
    100,
  )
})

const UNREADABLE: [what: string, json: string][] = [
  ['a quote', '"'],
  ['a line feed', '\n'],
  ['a control character', '\u001f'],
  ['an unknown escape', '\\x'],
  ['a capital escape', '\\N'],
  ['a digit that is none', '\\u00g0'],
  ['a fourth digit that is none', '\\u000:'],
  ['a high half alone', '\\ud83d'],
  ['a high half before another escape', '\\ud83d\\u0061'],
  ['two high halves', '\\ud83d\\ud83d'],
  ['a low half', '\\udc00'],
  ['two low halves', '\\udc00\\udc00'],
]

test.each(UNREADABLE)('the content is read up to %s, wherever it stands', (_, json) => {
  for (const filler of ['a', '\\n', '\\u00e9', '€']) {
    for (const length of [0, 1, 15, 16, 17, 100, 511, 512, 513, 2559, 2560, 2561, 30_000]) {
      const before = filler.repeat(length)
      const found = read(`${before}${json}${'b'.repeat(40)}`)
      expect(found.at, `${length} × ${filler}`).toBe(Buffer.byteLength(before))
      expect(found.text === JSON.parse(`"${before}"`), `${length} × ${filler}`).toBe(true)
    }
  }
})

test.each(['\\n', '\\u00e9', '\\ud83d\\ude00'])('%s that goes on behind the end is left', (whole) => {
  for (let cut = 1; cut < whole.length; cut++) {
    for (const length of [0, 15, 500, 505, 3000]) {
      expect(read('a'.repeat(length) + whole, length + cut).at).toBe(length)
    }
  }
})

test.each([
  ['\\ud83d', 'lone surrogate U+D83D stands at UTF-16 index 70000'],
  ['\\udc00\\ud83d', 'lone surrogate U+DC00 stands at UTF-16 index 70000'],
])('%s in a long text is named', (half, message) => {
  const { fault } = readText(`"${'é'.repeat(70_000)}${half.repeat(300)}${'b'.repeat(9000)}"`)
  expect(fault!.message).toContain(message)
})

test.each([
  ['\u0001', 0],
  ['\\x', 1],
  ['\\u12x4', 4],
])('%j in a long text is refused with its byte', (wrong, place) => {
  const before = `"${'a\\n'.repeat(9000)}`
  expect(() => readText(`${before}${wrong}${'b'.repeat(500)}"`)).toThrow(
    expect.objectContaining({
      code: 'invalid_json',
      message: expect.stringMatching(new RegExp(`\\b${before.length + place}\\b`)),
    }),
  )
})
