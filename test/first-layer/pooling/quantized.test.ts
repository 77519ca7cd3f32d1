import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  quantizer,
  type Ranges,
  storedLength,
  VECTOR_DTYPES,
  wrongRange,
} from '../../../src/first-layer/pooling/quantized.js'
import { checkProperty } from '../../property.js'

// Made by test/goldens/quantized.py with sentence-transformers 6.2.0.
const { numbers: golden } = JSON.parse(
  readFileSync(new URL('../../goldens/quantized.json', import.meta.url), 'utf8'),
)
const D = 64
const floats = (base64: string) => new Float32Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer)
const both = floats(golden.ranges)
const ranges: Ranges = { least: both.subarray(0, D), greatest: both.subarray(D) }
const rows = floats(golden.rows)

describe.each(['int8', 'uint8', 'binary', 'ubinary'] as const)('%s', (dtype) => {
  test('has the bytes of sentence-transformers', () => {
    const quantize = quantizer(dtype, D, ranges)
    const made: Buffer[] = []
    for (let at = 0; at < rows.length; at += D) {
      const vector = quantize(rows.subarray(at, at + D))
      expect(vector).toHaveLength(storedLength(dtype, D))
      made.push(Buffer.from(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)))
    }
    expect(Buffer.concat(made).toString('base64')).toBe(golden[dtype])
  })
})

test('float stays as it is, and a type is the numbers’ own', () => {
  const row = Float32Array.of(-2, 3)
  expect(quantizer('float', 2)(row)).toBe(row)
  expect(VECTOR_DTYPES.map((dtype) => storedLength(dtype, 16))).toEqual([16, 16, 16, 2, 2])
})

test('a number outside its range is the nearest end’s', () => {
  const own = { least: Float32Array.of(-1, -1), greatest: Float32Array.of(1, 1) }
  expect([...quantizer('int8', 2, own)(Float32Array.of(-9, 9))]).toEqual([-128, 127])
  expect([...quantizer('uint8', 2, own)(Float32Array.of(-9, 9))]).toEqual([0, 255])
})

test('int8 and uint8 keep the order of numbers within their ranges', async () => {
  const number = fc.float({ min: -3, max: 3, noNaN: true })
  const own = { least: Float32Array.of(-3, -3), greatest: Float32Array.of(3, 3) }
  const ordered = fc.property(number, number, (a, b) => {
    for (const dtype of ['int8', 'uint8'] as const) {
      const [x, y] = quantizer(dtype, 2, own)(Float32Array.of(a, b))
      if (a <= b) expect(x).toBeLessThanOrEqual(y!)
      else expect(x).toBeGreaterThanOrEqual(y!)
    }
  })
  await checkProperty(ordered, 1000)
})

test('13 dimensions fill two bytes, whose last bits are 0', () => {
  const row = new Float32Array(13).fill(1)
  expect([...quantizer('ubinary', 13)(row)]).toEqual([255, 248])
  expect([...quantizer('binary', 13)(row)]).toEqual([127, 120])
})

test('a range without width has steps of 1', () => {
  const own = { least: Float32Array.of(3, 3), greatest: Float32Array.of(3, 3) }
  expect([...quantizer('uint8', 2, own)(Float32Array.of(5.5, 1))]).toEqual([2, 0])
})

test.each([
  [[0, 1], [1, 0.5], 1],
  [[-3e38], [3e38], 0],
  [[0, 1], [1, 1], undefined],
])('the wrong range of %j to %j is %s', (least, greatest, wrong) => {
  expect(wrongRange({ least: Float32Array.from(least), greatest: Float32Array.from(greatest) })).toBe(wrong)
})
