import fc from 'fast-check'
import { expect, test } from 'vitest'
import { run } from '../../../src/first-layer/steps.js'
import { JsonCursor } from '../../../src/wire/json/json-cursor.js'
import { checkProperty } from '../../property.js'

/** The keys of an object, and the text of each value. */
function members(bytes: Buffer): [string, string][] {
  const cursor = new JsonCursor(bytes, 1)
  const found: [string, string][] = []
  cursor.skipSpace()
  const rest = cursor.members(function* (key, start) {
    expect(bytes[start]).toBe(0x22)
    const from = cursor.at
    yield* cursor.skip()
    found.push([key, bytes.toString('utf8', from, cursor.at)])
  })
  if (rest !== undefined) run(rest)
  cursor.skipSpace()
  expect(cursor.byte).toBeUndefined()
  return found
}

test('a cursor finds where every value ends, however it is written', async () => {
  const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue())
  const property = fc.asyncProperty(object, fc.constantFrom('', ' ', '\t', '\n  '), async (value, space) => {
    const found = members(Buffer.from(` ${JSON.stringify(value, null, space)}\n`))
    const expected = JSON.parse(JSON.stringify(value))
    expect(found.map(([key, text]) => [key, JSON.parse(text)])).toEqual(Object.entries(expected))
  })
  await checkProperty(property, 300)
})

test.each([
  '',
  '{',
  '{"a"',
  '{"a" 1}',
  '{"a":}',
  '{"a":1',
  '{"a":"',
  '{"a":[1,2',
  '{"a":1,}',
  '{,}',
  '{"a":1}}',
])('%j is refused as JSON that it is not', (text) => {
  expect(() => members(Buffer.from(text))).toThrow()
})
