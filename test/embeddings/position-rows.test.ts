import '@tensorflow/tfjs-backend-cpu'
import { ready, setBackend } from '@tensorflow/tfjs-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { computedRows, type PositionRows } from '../../src/embeddings/position-rows.js'

beforeAll(async () => {
  await setBackend('cpu')
  await ready()
})

const DIM = 8

/** Elements that say where they stand in [T, C]. */
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
    const values = part.positions.dataSync()
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
