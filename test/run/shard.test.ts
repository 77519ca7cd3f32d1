import { expect, test } from 'vitest'
import { type Recipe, runRecipeId } from '../../src/run/recipe.js'
import { inputKind, inputName, inputStem, shardKey } from '../../src/run/shard.js'

test.each([
  ['a.txt', { holds: 'text', packing: undefined }],
  ['in/A.TXT.GZ', { holds: 'text', packing: 'gzip' }],
  ['a.b.jsonl.zst', { holds: 'ndjson', packing: 'zstd' }],
  ['a.ndjson.br', { holds: 'ndjson', packing: 'brotli' }],
  ['ndjson.gz', { holds: 'ndjson', packing: 'gzip' }],
  ['txt', { holds: 'text', packing: undefined }],
  ['a.csv', undefined],
  ['a.gz', undefined],
  ['-', undefined],
])('what %s holds', (path, kind) => {
  expect(inputKind(path)).toEqual(kind)
})

test.each([
  ['in/part-1.txt.gz', 'part-1.txt.gz', 'part-1'],
  ['a.b.jsonl', 'a.b.jsonl', 'a.b'],
  ['v1.2', 'v1.2', 'v1.2'],
  ['-', 'stdin', 'stdin'],
  ['.txt', '.txt', '.txt'],
])('the name of %s is %s, without its endings %s', (path, name, stem) => {
  expect(inputName(path)).toBe(name)
  expect(inputStem(name)).toBe(stem)
})

test('a name that is as long as names may be leaves room for the rest of an output’s name', () => {
  const name = inputName(`${'é'.repeat(125)}.txt`)
  expect(Buffer.byteLength(`${inputStem(name)}-${'k'.repeat(26)}.safetensors`)).toBeLessThan(255)
})

test('a shard’s key is of the recipe, the input’s path, what it holds, and its bytes', () => {
  const keys = [
    shardKey('r', { path: 'a/b', holds: 'text' }, 'a'),
    shardKey('r', { path: 'c/b', holds: 'text' }, 'a'),
    shardKey('s', { path: 'a/b', holds: 'text' }, 'a'),
    shardKey('r', { path: 'a/b', holds: 'ndjson' }, 'a'),
    shardKey('r', { path: 'a/b', holds: 'text', packing: 'gzip' }, 'a'),
    shardKey('r', { path: 'a/b', holds: 'text' }, 'b'),
  ]
  for (const key of keys) expect(key).toMatch(/^[a-z2-7]{26}$/)
  expect(new Set(keys).size).toBe(keys.length)
  expect(shardKey('r', { path: './a//b', holds: 'text' }, 'a')).toBe(keys[0])
})

test('a recipe’s id is of all that decides an output’s bytes', () => {
  const tokenizer = { card: { type: 'tiktoken', encoding: 'gpt2' }, encoding: 'gpt2' } as const
  const recipe: Recipe = { to: 'ids', documents: 'one', text_column: 'text', tokenizer }
  const embedding = { query: 'seed=1', model: 'a' }
  const others: Partial<Recipe>[] = [
    {},
    { to: 'bin' },
    { documents: 'lines' },
    { text_column: 'body' },
    { document_end: 0 },
    { allowed_special: 'all' },
    { dtype: 'uint32' },
    { tokenizer: { ...tokenizer, encoding: 'p50k_base' } },
    { tokenizer: { ...tokenizer, padTokenId: 0 } },
    { embedding },
    { embedding: { ...embedding, model: 'b' } },
  ]
  const ids = others.map((other) => runRecipeId({ ...recipe, ...other }))
  expect(new Set(ids).size).toBe(others.length)
})
