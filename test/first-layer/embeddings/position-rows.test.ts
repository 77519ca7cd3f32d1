import '@tensorflow/tfjs-backend-cpu'
import { ready, setBackend } from '@tensorflow/tfjs-core'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { computedRows, keptRowBytes } from '../../../src/first-layer/embeddings/position-tensors.js'
import type { PositionRows } from '../../../src/first-layer/embeddings/row-tensor.js'
import { checkProperty } from '../../property.js'

beforeAll(async () => {
  await setBackend('cpu')
  await ready()
})

const DIM = 8

/** Elements that are their index in [T, C]. */
function fill(out: Float32Array, start: number): void {
  for (let i = 0; i < out.length; i++) out[i] = start + i
}

/** The rows that are added to `first … first + count − 1` of the flattened [B, T], by their first element. */
function added(rows: PositionRows, contextLength: number, first: number, count: number): number[] {
  const { positions, positionStart, rowIds } = rows.prepare(first, count)
  const values = positions.tensor.dataSync()
  return Array.from({ length: count }, (_, i) => {
    const row = rowIds?.[i] ?? positionStart + ((first + i) % contextLength)
    return values[row * DIM]! / DIM
  })
}

describe.each([
  ['kept', 1000],
  ['computed again for each block', (1 << 22) / DIM + 5],
])('rows that are %s', (_, contextLength) => {
  test('are those of their columns, at the beginning, in the middle, at the end and over it', () => {
    const rows = computedRows(fill, contextLength, DIM)
    for (const first of [0, 300, contextLength - 1, contextLength - 3, 2 * contextLength - 7]) {
      const expected = Array.from({ length: 12 }, (_, i) => (first + i) % contextLength)
      expect(added(rows, contextLength, first, 12)).toEqual(expected)
    }
    rows.dispose?.()
  })
})

/** Reads rows as a stream does, and tells how much was computed for each range. */
function readRows(contextLength: number, dim: number, ranges: readonly (readonly [number, number])[]) {
  const filled: number[] = []
  const valueAt = (index: number) => Math.fround(index % 16_777_213)
  const rows = computedRows(
    (out, start) => {
      filled.push(out.length)
      for (let i = 0; i < out.length; i++) out[i] = valueAt(start + i)
    },
    contextLength,
    dim,
  )
  for (const [first, count] of ranges) {
    const { positions, positionStart, rowIds } = rows.prepare(first, count)
    const values = positions.tensor.dataSync()
    for (let i = 0; i < count; i++) {
      const column = (first + i) % contextLength
      const at = (rowIds?.[i] ?? positionStart + column) * dim
      for (const channel of [0, dim >> 1, dim - 1])
        expect(values[at + channel]).toBe(valueAt(column * dim + channel))
    }
  }
  rows.dispose?.()
  return filled
}

test('rows are right for every range', async () => {
  const range = fc.tuple(fc.nat(5000), fc.integer({ min: 1, max: 600 }))
  await checkProperty(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 300 }),
      fc.array(range, { minLength: 1, maxLength: 4 }),
      (contextLength, dim, ranges) => void readRows(contextLength, dim, ranges),
    ),
    30,
  )
})

test('of windows too large to keep, those of a range alone are computed', () => {
  const filled = readRows(50_000, 100, [
    [0, 3],
    [49_999, 2],
    [1, 1],
  ])
  expect(filled).toEqual([300, 100, 100, 100])
  expect(keptRowBytes(50_000, 100)).toBe(4 * (1 << 16))
})

test('a window that is kept is computed once', () => {
  const windows = [...Array(5).keys()].map((window) => [window * 100, 100] as const)
  const filled = readRows(100, 256, windows)
  expect(filled.reduce((sum, length) => sum + length, 0)).toBe(100 * 256)
  expect(keptRowBytes(100, 256)).toBe(100 * 256 * 4)
})
