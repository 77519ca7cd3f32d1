import { describe, expect, test } from 'vitest'
import {
  headerLength,
  parseHeader,
  SafetensorsError,
} from '../../../src/first-layer/tensors/safetensors/header.js'

const bytes = (text: string) => new TextEncoder().encode(text)
const tensor = (start: number, end: number, shape = [end - start], dtype = 'U8') => ({
  dtype,
  shape,
  data_offsets: [start, end],
})

describe('headers that the reference takes', () => {
  test.each([
    ['nothing', '{}', []],
    ['leading blanks, and blanks at the end', ' \n{}  ', []],
    ['empty texts, and one of a quote', '{"__metadata__":{"":"","a":"\\""}}', []],
    ['metadata that is null', '{"__metadata__":null}', []],
    ['tensors in any order of their names', JSON.stringify({ b: tensor(4, 8), a: tensor(0, 4) }), ['a', 'b']],
    ['no elements', JSON.stringify({ a: tensor(0, 0, [0, 5]), b: tensor(0, 2) }), ['a', 'b']],
    ['a scalar', JSON.stringify({ a: tensor(0, 4, [], 'F32') }), ['a']],
    ['what is misaligned', JSON.stringify({ a: tensor(0, 1), b: tensor(1, 5, [1], 'F32') }), ['a', 'b']],
    [
      'unknown keys of a tensor',
      '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"more":{"x":true}}}',
      ['a'],
    ],
    [
      'a name that JavaScript knows',
      '{"__proto__":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
      ['__proto__'],
    ],
    ['four bits', JSON.stringify({ a: tensor(0, 1, [2], 'F4') }), ['a']],
  ])('%s', (_, header, names) => {
    expect(parseHeader(bytes(header)).tensors.map(({ name }) => name)).toEqual(names)
  })

  test('gives each tensor’s place in the file', () => {
    const header = JSON.stringify({ __metadata__: { a: 'b' }, w: tensor(0, 24, [2, 3], 'F32') })
    expect(parseHeader(bytes(header), 24)).toEqual({
      metadata: { a: 'b' },
      tensors: [{ name: 'w', dtype: 'F32', shape: [2, 3], start: 0, end: 24 }],
      dataBytes: 24,
    })
  })
})

describe('headers that the reference refuses', () => {
  test.each([
    ['a hole', JSON.stringify({ a: tensor(0, 4), b: tensor(5, 8) }), /"b" must begin at 4.*Given: 5/],
    ['a hole at the beginning', JSON.stringify({ a: tensor(1, 4) }), /"a" must begin at 0.*Given: 1/],
    ['an overlap', JSON.stringify({ a: tensor(0, 4), b: tensor(3, 8) }), /"b" must begin at 4.*Given: 3/],
    ['shared bytes', JSON.stringify({ a: tensor(0, 4), b: tensor(0, 4) }), /"b" must begin at 4.*Given: 0/],
    [
      'a size that is not the shape’s',
      JSON.stringify({ a: tensor(0, 4, [3]) }),
      /"a" must have 3 bytes.*Given: 4/,
    ],
    ['offsets that run back', JSON.stringify({ a: tensor(4, 0, [4]) }), /"a" must have 4 bytes/],
    ['an unknown dtype', JSON.stringify({ a: tensor(0, 4, [1], 'F128') }), /"a".*known dtype.*F128/],
    ['a dtype that an object has', JSON.stringify({ a: tensor(0, 4, [1], 'toString') }), /known dtype/],
    ['negative axes', JSON.stringify({ a: tensor(0, 4, [-4]) }), /shape of whole numbers/],
    ['an overflow', JSON.stringify({ a: tensor(0, 4, [2 ** 31, 2 ** 31]) }), /too many elements/],
    ['half a byte', JSON.stringify({ a: tensor(0, 1, [1], 'F4') }), /does not end on a byte/],
    ['metadata that is no text', '{"__metadata__":{"a":1}}', /__metadata__/],
    ['NULs after it', '{}\0\0', /JSON/],
    ['a byte order mark', '\ufeff{}', /JSON/],
    ['an array', '[]', /object/],
    ['no JSON', '{"a":', /JSON/],
    ['a tensor that is no object', '{"a":7}', /"a" must be an object/],
    ['no shape', '{"a":{"dtype":"U8","data_offsets":[0,1]}}', /shape/],
  ])('%s', (_, header, message) => {
    expect(() => parseHeader(bytes(header))).toThrow(SafetensorsError)
    expect(() => parseHeader(bytes(header))).toThrow(message)
  })

  test('bytes that are not UTF-8', () => {
    expect(() => parseHeader(Uint8Array.of(0x7b, 0xff, 0x7d))).toThrow('UTF-8')
  })

  test('data that is longer or shorter than declared', () => {
    const header = bytes(JSON.stringify({ a: tensor(0, 4) }))
    expect(() => parseHeader(header, 5)).toThrow('5 bytes')
    expect(() => parseHeader(header, 3)).toThrow('Declared: 4')
  })
})

test('the first eight bytes are the length of the header', () => {
  const first = new Uint8Array(8)
  new DataView(first.buffer).setBigUint64(0, 1234n, true)
  expect(headerLength(first)).toBe(1234)
  new DataView(first.buffer).setBigUint64(0, 200_000_000n, true)
  expect(() => headerLength(first)).toThrow('100000000 bytes. Given: 200000000')
  new DataView(first.buffer).setBigUint64(0, 2n ** 63n, true)
  expect(() => headerLength(first)).toThrow(SafetensorsError)
  expect(() => headerLength(first.subarray(0, 7))).toThrow('7 bytes')
})
