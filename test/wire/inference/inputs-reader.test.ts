import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InletError } from '../../../src/errors.js'
import { UNBOUNDED } from '../../../src/load/claim.js'
import { IdLists } from '../../../src/wire/id-lists.js'
import { inferenceLongFields } from '../../../src/wire/inference/request.js'
import { LongTexts } from '../../../src/wire/json/long-texts.js'
import { readJson } from '../../../src/wire/json/read-json.js'
import { checkProperty } from '../../property.js'

const read = (json: string) => readJson(Buffer.from(json), inferenceLongFields, 100, UNBOUNDED)

/** A value as JSON.parse gives it: texts and ids that lie in the body become arrays again. */
function plain(value: unknown): unknown {
  if (value instanceof LongTexts) return [...value].map(String)
  if (value instanceof IdLists) {
    const { documents, isNested } = value
    const ids = documents.ids.toInt32Array()
    const lists = Array.from({ length: documents.count }, (_, d) => [
      ...ids.subarray(documents.start(d), documents.start(d + 1)),
    ])
    return isNested ? lists : lists[0]
  }
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}

const someIds = fc.array(fc.nat(2 ** 31 - 2), { minLength: 1, maxLength: 6 })
const someData = fc.oneof(
  someIds,
  fc.array(someIds, { minLength: 1, maxLength: 4 }),
  fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }),
  fc.constantFrom<unknown>(null, 1, true, { a: [] }),
)
const someInput = fc.oneof(
  fc.record(
    {
      name: fc.string(),
      shape: fc.array(fc.nat()),
      data: someData,
      parameters: fc.dictionary(fc.string(), fc.nat()),
    },
    { requiredKeys: [] },
  ),
  fc.constantFrom<unknown>(null, 'a', 3),
)

describe('the reader of inputs', () => {
  test('gives what JSON.parse gives, whatever the white space', async () => {
    const body = fc.record({
      id: fc.string(),
      inputs: fc.array(someInput, { maxLength: 5 }),
      x: fc.jsonValue(),
    })
    const property = fc.asyncProperty(body, fc.constantFrom(0, 1, 3), async (given, spaces) => {
      const json = JSON.stringify(given, null, spaces)
      expect(plain(await read(json))).toEqual(JSON.parse(json))
    })
    await checkProperty(property, 200)
  })

  test('takes the last of a repeated key', async () => {
    const json = '{"inputs":[{"data":[1],"data":["a"]},{"data":["a"],"data":7},{"data":7,"data":[[2]]}]}'
    expect(plain(await read(json))).toEqual(JSON.parse(json))
  })

  test('refuses what is cut off anywhere, with its place', async () => {
    const json = '{"inputs":[{"name":"text","data":["a","b"]},{"data":[[1,2],[3]]}]}'
    for (let end = 1; end < json.length; end++) {
      const error = await read(json.slice(0, end)).catch((reason: InletError) => reason)
      expect(error, json.slice(0, end)).toBeInstanceOf(InletError)
      expect((error as InletError).code).toBe('invalid_json')
    }
  })

  test.each([
    ['{"inputs":[,]}', 11],
    ['{"inputs":[{"a":1,}]}', 18],
    ['{"inputs":[{"a" 1}]}', 16],
    ['{"inputs":[{} {}]}', 14],
    ['{"inputs":[{a:1}]}', 12],
    ['{"inputs":[{}]]', 14],
  ])('%s: unexpected at byte %i', async (json, at) => {
    expect(() => JSON.parse(json)).toThrow()
    await expect(read(json)).rejects.toThrow(`at byte ${at}.`)
  })
})
