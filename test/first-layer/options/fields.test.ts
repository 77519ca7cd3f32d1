import { expect, test } from 'vitest'
import { z } from 'zod'
import { rawTextOptions } from '../../../src/checkpoints/embedding-request.js'
import { positionSchemes } from '../../../src/first-layer/embeddings/positions/registry.js'
import { fieldsOf } from '../../../src/first-layer/options/fields.js'

const fields = fieldsOf(rawTextOptions)

test('a field declares the form of its value', () => {
  const own = fields.filter(({ of }) => of === undefined).map(({ path, kind }) => [path, kind])
  expect(Object.fromEntries(own)).toEqual({
    model: 'string',
    context_length: 'integer',
    stride: 'integer',
    tail: 'string',
    truncation: 'boolean',
    max_length: 'integer',
    pad_token_id: 'integer',
    batch_size: 'integer',
    batch_index: 'integer',
    shuffle: 'boolean',
    seed: 'long_integer',
    epoch: 'integer',
    drop_last: 'boolean',
    position_embedding: 'scheme',
    architecture: 'string',
    position_offset: 'integer',
    outputs: 'list',
    dtype: 'string',
    ids_dtype: 'string',
    encoding_format: 'string',
    allowed_special: 'list',
    add_special_tokens: 'boolean',
    ngram_context: 'string',
  })
})

test('words stand for themselves', () => {
  const wordsOf = (path: string) => fields.find((field) => field.path === path)?.words
  expect(wordsOf('tail')).toEqual(['drop', 'pad'])
  expect(wordsOf('allowed_special')).toEqual(['all'])
  expect(wordsOf('outputs')).toBeUndefined()
})

test('an option stands there once for each type that has it', () => {
  const of = (path: string) => fields.filter((field) => field.path === path).map((field) => field.of)
  expect(of('position_embedding.type')).toEqual(positionSchemes.map(({ type }) => type))
  expect(of('position_embedding.head_dim')).toEqual(
    positionSchemes.filter(({ options }) => 'head_dim' in options.shape).map(({ type }) => type),
  )
  expect(of('position_embedding.scaling')).toEqual(['rope'])
  expect(of('position_embedding.scaling.factor')).toEqual(['linear', 'dynamic', 'yarn', 'llama3'])
})

/** A reader of names and texts goes by the path alone. */
test('an option of several types is written in one way', () => {
  const kinds = new Map(fields.map(({ path, kind }) => [path, kind]))
  for (const { path, kind, of } of fields) expect(kind, `${path} of ${of}`).toBe(kinds.get(path))
})

test('an object whose type is never given alone is no scheme', () => {
  const member = z.strictObject({ type: z.literal('a'), width: z.number(), on: z.boolean().default(true) })
  const union = z.discriminatedUnion('type', [member])
  const byName = z.preprocess((value) => (typeof value === 'string' ? { type: value } : value), union)
  const paths = fieldsOf(z.object({ union: union.optional(), byName })).map(({ path, kind }) => [path, kind])
  expect(paths).toEqual([
    ['union', 'object'],
    ['union.type', 'type'],
    ['union.width', 'number'],
    ['union.on', 'boolean'],
    ['byName', 'scheme'],
    ['byName.type', 'type'],
    ['byName.width', 'number'],
    ['byName.on', 'boolean'],
  ])
})
