import { describe, expect, test } from 'vitest'
import { parsePythonJson } from '../../src/first-layer/python-json.js'

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
