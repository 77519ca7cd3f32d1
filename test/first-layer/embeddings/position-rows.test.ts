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

/** The rows that the op would add to `first … first + count − 1` of the flattened [B, T], by their first element. */
function added(rows: PositionRows, contextLength: number, first: number, count: number): number[] {
  const found: number[] = []
  while (found.length < count) {
    const from = first + found.length
    const part = rows.prepare(from, count - found.length)
    expect(part.count).toBeGreaterThan(0)
    const values = part.positions.tensor.dataSync()
    for (let i = 0; i < part.count; i++) {
      const row = part.positionStart + ((from + i) % contextLength)
      found.push(values[row * DIM] / DIM)
    }
  }
  return found
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
    rows.dispose()
  })
})

/** Most elements that a step computes. */
const STEP = 8192

/** Reads rows as a stream does, step by step, and tells how much each step computed. */
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
    for (let done = 0; done < count; ) {
      const before = filled.length
      const { positions, positionStart, count: ready } = rows.prepare(first + done, count - done)
      expect(filled.length - before).toBeLessThanOrEqual(1)
      const values = positions.tensor.dataSync()
      for (let row = 0; row < ready; row++) {
        const column = (first + done + row) % contextLength
        const at = (positionStart + column) * dim
        for (const channel of [0, dim >> 1, dim - 1])
          expect(values[at + channel]).toBe(valueAt(column * dim + channel))
      }
      expect(ready).toBeLessThanOrEqual(count - done)
      done += ready
    }
  }
  rows.dispose()
  return filled
}

test('rows are made in steps, right for every range', async () => {
  const range = fc.tuple(fc.nat(5000), fc.integer({ min: 1, max: 600 }))
  await checkProperty(
    fc.property(
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 300 }),
      fc.array(range, { minLength: 1, maxLength: 4 }),
      (contextLength, dim, ranges) => {
        for (const length of readRows(contextLength, dim, ranges)) expect(length).toBeLessThanOrEqual(STEP)
      },
    ),
    30,
  )
})

test('windows too large to keep are computed again, a row wider than a step bit by bit', () => {
  for (const [contextLength, dim] of [
    [50_000, 100],
    [3, 2_000_000],
  ] as const) {
    const filled = readRows(contextLength, dim, [
      [0, 3],
      [contextLength - 1, 2],
      [1, 1],
    ])
    expect(Math.max(...filled)).toBeLessThanOrEqual(STEP)
    expect(keptRowBytes(contextLength, dim)).toBeLessThanOrEqual(4 * Math.max(STEP, dim))
  }
})

test('a window that is kept is computed once', () => {
  const windows = [...Array(5).keys()].map((window) => [window * 100, 100] as const)
  const filled = readRows(100, 256, windows)
  expect(filled.reduce((sum, length) => sum + length, 0)).toBe(100 * 256)
  expect(keptRowBytes(100, 256)).toBe(100 * 256 * 4)
})
