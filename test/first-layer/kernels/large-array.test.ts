import { expect, test } from 'vitest'
import { largeFloat32Array, largeFloat64Array, largeInt32Array } from '../../../src/first-layer/memory.js'

const MIB = 2 ** 20

test.each([0, 1, 7, 65_535, 262_143, 262_144, 262_145, 300_000])(
  '%i elements, all 0, that keep their numbers',
  (length) => {
    for (const array of [largeFloat32Array(length), largeInt32Array(length)]) {
      expect(array).toHaveLength(length)
      expect(array.every((number) => number === 0)).toBe(true)
      if (length === 0) continue
      array[length - 1] = 2 ** 24
      expect([array[length - 1], array.at(-2) ?? 0]).toEqual([2 ** 24, 0])
    }
    expect(largeInt32Array(1).constructor).toBe(Int32Array)
  },
)

test('arrays below 1 MiB have a buffer of their size, larger ones whole pages of 64 KiB', () => {
  const bytes = (length: number) => largeFloat64Array(length).buffer.byteLength
  expect(bytes(MIB / 8 - 1)).toBe(MIB - 8)
  expect(bytes(MIB / 8)).toBe(MIB)
  expect(bytes(MIB / 8 + 1)).toBe(MIB + 65_536)
})

test('a large array is memory whose pages are zeroed when they are touched: V8 counts none of it', () => {
  const before = process.memoryUsage().arrayBuffers
  const { byteLength } = largeFloat32Array(16 * MIB)
  expect(byteLength).toBe(64 * MIB)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(MIB)
})
