import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rawTextOptions } from '../../../src/checkpoints/embedding-request.js'
import { parse } from '../../../src/first-layer/options/parse.js'
import { queryFields, queryReader } from '../../../src/first-layer/options/query.js'
import { checkProperty } from '../../property.js'

const readQuery = queryReader(rawTextOptions)

/** One arbitrary for each field that a query can have; a field without one fails the first test. */
const FIELDS = {
  model: fc.string({ unit: 'grapheme' }),
  context_length: fc.integer({ min: 1 }),
  stride: fc.integer({ min: 1 }),
  tail: fc.constantFrom('drop', 'pad'),
  truncation: fc.boolean(),
  max_length: fc.integer({ min: 1 }),
  pad_token_id: fc.nat(),
  batch_size: fc.integer({ min: 1 }),
  batch_index: fc.nat(),
  shuffle: fc.boolean(),
  seed: fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 64n - 1n).map(String), fc.maxSafeInteger()),
  epoch: fc.nat(1000),
  drop_last: fc.boolean(),
  position_embedding: fc.constantFrom(
    'rope',
    { type: 'rope', head_dim: 32, rope_theta: 1e6 },
    {
      type: 'rope',
      scaling: { type: 'yarn', factor: 2.5, original_max_position_embeddings: 99, truncate: false },
    },
    { type: 't5', bidirectional: false, seed: '18446744073709551615' },
    { type: 'deberta', version: 1 },
  ),
  architecture: fc.string(),
  position_offset: fc.maxSafeNat(),
  outputs: fc.uniqueArray(fc.stringMatching(/^[^,]+$/), { minLength: 1, maxLength: 5 }),
  dtype: fc.constantFrom('float32', 'float16', 'bfloat16'),
  ids_dtype: fc.constantFrom('int32', 'int64'),
  encoding_format: fc.constantFrom('float', 'base64'),
  add_special_tokens: fc.boolean(),
  ngram_context: fc.constant('document'),
  allowed_special: fc.oneof(
    fc.constant('all'),
    fc.constant([]),
    fc.array(fc.stringMatching(/^[^,]+$/), { minLength: 1 }),
  ),
}

/** The rule of DESIGN, the other way round: lists with commas, objects with dots. */
function toQuery(fields: object): string {
  const parts = Object.entries(fields).flatMap(([name, value]) => flat(name, value))
  return parts.map((pair) => pair.map((part) => encodeURIComponent(String(part))).join('=')).join('&')
}

function flat(name: string, value: unknown): [string, unknown][] {
  if (Array.isArray(value)) return [[name, value.join(',')]]
  if (typeof value !== 'object' || value === null) return [[name, value]]
  return Object.entries(value).flatMap(([key, entry]) => flat(`${name}.${key}`, entry))
}

describe('a query string', () => {
  test('can have every field of the schema', () => {
    expect(Object.keys(FIELDS).sort()).toEqual(Object.keys(rawTextOptions.shape).sort())
  })

  test('means what the same fields mean in JSON, wrong ones too', async () => {
    const fields = fc.record(FIELDS, { requiredKeys: [] })
    await checkProperty(
      fc.property(fields, (given) => {
        const outcome = (run: () => unknown) => {
          try {
            return { value: run() }
          } catch (error) {
            return { error: (error as Error).message }
          }
        }
        expect(outcome(() => readQuery(toQuery(given)))).toEqual(outcome(() => parse(rawTextOptions, given)))
      }),
      200,
    )
  })

  test('is decoded as forms are', () => {
    expect(queryFields('a=1&&b=x+y%20z%2B&c&d=p=q&')).toEqual([
      ['a', '1'],
      ['b', 'x y z+'],
      ['c', ''],
      ['d', 'p=q'],
    ])
    expect(queryFields('')).toEqual([])
  })

  test.each(['a=%', 'a=%f', '%zz=1', 'a=%ff', 'a=%ed%a0%80'])(
    'that is not percent-encoded UTF-8 is refused: %s',
    (query) => {
      expect(() => queryFields(query)).toThrow(/must be percent-encoded UTF-8/)
    },
  )

  test.each(['__proto__=1', 'constructor=1', 'toString=1', 'position_embedding.__proto__.x=1', '=1'])(
    'has no field beside the schema’s: %s',
    (query) => {
      expect(() => readQuery(query)).toThrow(/is not a field|position_embedding/)
    },
  )

  test('names a field once', () => {
    expect(() => queryFields('a=1&b=2&%61=3')).toThrow('`a` must be given once. Given: "1", "3"')
  })

  test('has the bounds of a JSON body', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, i) => `f${i}=1`).join('&')
    expect(queryFields(fields(256))).toHaveLength(256)
    expect(() => queryFields(fields(257))).toThrow(
      'The query string must have at most 256 fields. Given: 257',
    )
    expect(queryFields(`${'a.'.repeat(63)}a=1`)).toHaveLength(1)
    expect(() => queryFields(`${'a.'.repeat(64)}a=1`)).toThrow('must be nested at most 64 deep. Given: 65')
    const names = Array.from({ length: 65 }, (_, i) => `n${i}`).join(',')
    expect(() => readQuery(`outputs=${names}`)).toThrow('must have at most 64 elements')
  })
})
