import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UNBOUNDED } from '../../../src/load/claim.js'
import { JsonWalk } from '../../../src/wire/json/json-walk.js'
import { checkProperty } from '../../property.js'

/** What a walk over an object finds: its keys, and the text of each value. */
async function members(bytes: Buffer): Promise<[string, string][]> {
  const walk = new JsonWalk(bytes, UNBOUNDED)
  const found: [string, string][] = []
  await walk.next()
  for await (const { key, start } of walk.keys()) {
    expect(bytes[start]).toBe(0x22)
    const from = walk.at
    await walk.skip()
    found.push([key, bytes.toString('utf8', from, walk.at)])
  }
  expect(await walk.next()).toBeUndefined()
  return found
}

test('a walk finds where every value ends, however it is written', async () => {
  const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue())
  const property = fc.asyncProperty(object, fc.constantFrom('', ' ', '\t', '\n  '), async (value, space) => {
    const found = await members(Buffer.from(` ${JSON.stringify(value, null, space)}\n`))
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
])('%j is refused as JSON that it is not', async (text) => {
  await expect(members(Buffer.from(text))).rejects.toThrow()
})
