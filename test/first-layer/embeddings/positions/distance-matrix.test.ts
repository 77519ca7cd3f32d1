import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillByDistance } from '../../../../src/first-layer/embeddings/positions/distance-matrix.js'
import { everyDistance } from '../../../twins/by-distance.js'

const entry = (plane: number, distance: number, w: number) => plane * 1_000_000 + distance * 100 + w

interface Sizes {
  planes: number
  queries: number
  keys: number
  width: number
  firstQuery: number
}

function matrixOf(sizes: Sizes, lengths: number[] = []) {
  return fillByDistance({
    ...sizes,
    write(out, at, distance, count, plane) {
      lengths.push(out.length)
      for (let i = 0; i < count; i++) {
        for (let w = 0; w < sizes.width; w++) out[at + i * sizes.width + w] = entry(plane, distance + i, w)
      }
    },
  })
}

describe('a matrix of distances', () => {
  const sizes = fc.record({
    planes: fc.integer({ min: 1, max: 3 }),
    queries: fc.integer({ min: 1, max: 12 }),
    keys: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 60, max: 90 })),
    width: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 63, max: 66 })),
    firstQuery: fc.nat(9),
  })

  it('is the element-by-element twin in every range', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (size, somewhere, some) => {
        const { planes, queries, keys, width, firstQuery } = size
        const expected = everyDistance([planes, queries, keys, width], firstQuery, entry)
        const start = somewhere % expected.length
        const length = 1 + (some % (expected.length - start))
        const out = new Int32Array(length).fill(-999_999)
        matrixOf(size)(out, start)
        expect([...out]).toEqual(expected.slice(start, start + length))
      }),
    )
  })

  it('takes about two blocks of extra memory at most, however long a row is', () => {
    const block = new Int32Array(1000)
    for (const [queries, keys] of [
      [1, 1_000_000_000],
      [1_000_000_000, 1],
      [100_000, 100_000],
      [1_000_000, 3],
      [4, 333],
    ] as const) {
      const lengths: number[] = []
      const fill = matrixOf({ planes: 2, queries, keys, width: 1, firstQuery: 0 }, lengths)
      const total = 2 * queries * keys
      for (const start of [0, Math.floor(total / 2) - 500, Math.floor(total / 3), total - 1000]) {
        fill(block, start)
      }
      expect(Math.max(...lengths)).toBeLessThanOrEqual(2 * block.length)
    }
  })
})
