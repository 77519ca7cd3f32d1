import { expect, test } from 'vitest'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'

test('a TokenBuffer holds pushed and appended ids across its blocks', () => {
  const buffer = new TokenBuffer()
  const expected: number[] = []
  for (let round = 0; round < 60; round++) {
    const part = Int32Array.from({ length: round * 173 }, (_, i) => round * 10_000 + i)
    buffer.append(part)
    buffer.push(round)
    expected.push(...part, round)
  }
  expect(buffer.length).toBe(expected.length)
  expect(buffer.byteLength).toBe(4 * expected.length)
  expect([...buffer]).toEqual(expected)
  expect([...buffer.toInt32Array()]).toEqual(expected)
  expect([...buffer.blocks()].flatMap((block) => [...block])).toEqual(expected)
  for (const index of [0, 65_535, 65_536, expected.length - 1]) expect(buffer.at(index)).toBe(expected[index])

  const out = new Int32Array(70_002).fill(7)
  buffer.copyTo(out, 65_000, 70_000, 1)
  expect([...out]).toEqual([7, ...expected.slice(65_000, 135_000), 7])
})

test('a TokenBuffer made of an array grows from there', () => {
  const buffer = TokenBuffer.of([40, 367, 2885])
  buffer.push(1464)
  expect([...buffer]).toEqual([40, 367, 2885, 1464])
})

test.each([-1, 3, Number.NaN])('a TokenBuffer of three ids refuses the index %d', (index) => {
  expect(() => TokenBuffer.of([1, 2, 3]).at(index)).toThrow(RangeError)
})

test('a TokenBuffer refuses to copy ids beyond its length', () => {
  expect(() => TokenBuffer.of([1, 2, 3]).copyTo(new Int32Array(9), 2, 2)).toThrow(
    'ids 2 … 4 are not in 0 … 3',
  )
})

test('a TokenBuffer copies any part to any place, also few ids over the end of a block', () => {
  const buffer = new TokenBuffer()
  buffer.append(Int32Array.from({ length: 131_080 }, (_, i) => i))
  for (const start of [0, 1, 65_530, 65_535, 65_536, 131_070]) {
    for (const count of [0, 1, 2, 7, 9]) {
      const out = new Int32Array(12).fill(-1)
      buffer.copyTo(out, start, count, 2)
      const copied = Array.from({ length: count }, (_, i) => start + i)
      expect([...out]).toEqual([-1, -1, ...copied, ...Array(10 - count).fill(-1)])
    }
  }
})
