import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InletError, shown } from '../../../src/errors.js'
import { run } from '../../../src/first-layer/steps.js'
import type { Given } from '../../../src/wire/given.js'
import { inferenceRequest } from '../../../src/wire/inference/request.js'
import { longFieldsOf } from '../../../src/wire/json/long-fields.js'
import { readJson } from '../../../src/wire/json/read-json.js'
import { checkProperty } from '../../property.js'

const LONG_FIELDS = longFieldsOf(inferenceRequest)
const read = (json: string) => run(readJson(Buffer.from(json), LONG_FIELDS, 100))

/** A value as JSON.parse gives it: texts and ids become arrays again, data of another form the text that messages show. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  if ('makeDocuments' in value) return plainData(value as Given)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}

function plainData(given: Given): unknown {
  return given.makeDocuments<unknown>({
    ofTexts: (texts) => Array.from(texts, String),
    ofIds({ documents, isList, fault }) {
      if (fault !== undefined) return fault.given
      const ids = documents.ids.toInt32Array()
      const lists = Array.from({ length: documents.count }, (_, d) => [
        ...ids.subarray(documents.start(d), documents.start(d + 1)),
      ])
      return isList ? lists : lists[0]
    },
    ofChunks: () => undefined,
  })
}

/** The same of what JSON.parse gives. */
function parsed(json: string): unknown {
  const body = JSON.parse(json)
  for (const input of body.inputs) {
    if (input === null || typeof input !== 'object' || !('data' in input)) continue
    if (!Array.isArray(input.data)) input.data = shown(input.data)
  }
  return body
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

function errorOf(json: string): unknown {
  try {
    return read(json)
  } catch (error) {
    return error
  }
}

describe('the reader of inputs', () => {
  test('gives what JSON.parse gives, whatever the white space', async () => {
    const body = fc.record({
      id: fc.string(),
      inputs: fc.array(someInput, { maxLength: 5 }),
      x: fc.jsonValue(),
    })
    const property = fc.asyncProperty(body, fc.constantFrom(0, 1, 3), async (given, spaces) => {
      const json = JSON.stringify(given, null, spaces)
      expect(plain(read(json))).toEqual(parsed(json))
    })
    await checkProperty(property, 200)
  })

  test('takes the last of a repeated key', async () => {
    const json = '{"inputs":[{"data":[1],"data":["a"]},{"data":["a"],"data":7},{"data":7,"data":[[2]]}]}'
    expect(plain(read(json))).toEqual(parsed(json))
  })

  test('refuses what is cut off anywhere, with its place', async () => {
    const json = '{"inputs":[{"name":"text","data":["a","b"]},{"data":[[1,2],[3]]}]}'
    for (let end = 1; end < json.length; end++) {
      const error = errorOf(json.slice(0, end))
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
    expect(() => read(json)).toThrow(`at byte ${at}.`)
  })
})
