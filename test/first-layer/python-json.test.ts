import { describe, expect, test } from 'vitest'
import { ConfigJson } from '../../src/checkpoints/config-json.js'
import { parsePythonJson } from '../../src/first-layer/python-json.js'
import { headerLength } from '../../src/first-layer/tensors/safetensors/header.js'
import { parseJsonFile } from '../../src/first-layer/tokens/tokenizer-file/fields.js'

describe('JSON as Python writes it', () => {
  test.each([
    ['{"a": NaN, "b": [Infinity, -Infinity, 1.5]}', { a: Number.NaN, b: [Infinity, -Infinity, 1.5] }],
    ['NaN', Number.NaN],
    ['{"a": "NaN: Infinity", "NaN": -Infinity}', { a: 'NaN: Infinity', NaN: -Infinity }],
    [
      '{"a": "\\"NaN", "b": NaN, "c": "\\\\", "d": "-Infinity"}',
      { a: '"NaN', b: Number.NaN, c: '\\', d: '-Infinity' },
    ],
    ['{"a": "NaN"}', { a: 'NaN' }],
  ])('%s', (text, value) => {
    expect(parsePythonJson(text)).toEqual(value)
  })

  test.each([
    '-NaN',
    '1NaN',
    '1Infinity',
    '+Infinity',
    'NaN1',
    'NaNNaN',
    'nan',
    '{"a": NaN',
    '["NaN]',
    '--Infinity',
    '{NaN: 1}',
  ])('is refused, as in Python: %s', (text) => {
    expect(() => parsePythonJson(text)).toThrow(SyntaxError)
  })

  test('names a byte order mark', () => {
    expect(() => parsePythonJson('\ufeff{}')).toThrow('It begins with a byte order mark (U+FEFF)')
  })
})

test.each([
  ['version https://git-lfs.github.com/spec/v1\noid sha256:ab\n', /Git LFS: run `git lfs pull`/],
  ['<!DOCTYPE html><html>', /a page of HTML/],
  ['\ufeff{}', /byte order mark/],
])('%j in place of a file is told by what it is', (text, message) => {
  expect(() => parseJsonFile('tokenizer.json', text, JSON.parse)).toThrow(message)
  expect(() => ConfigJson.parse(text)).toThrow(message)
  const first = Buffer.from(text.padEnd(8))
  if (!text.startsWith('\ufeff')) expect(() => headerLength(first)).toThrow(message)
})

test('other text that is no JSON has the parser’s own reason', () => {
  expect(() => parseJsonFile('tokenizer.json', '{', JSON.parse)).toThrow(/must be JSON\. (?!It )/)
})
