import { describe, expect, test } from 'vitest'
import { instantiateKernels, SCORE_SCRATCH_BYTES, STORAGE } from '../../../src/first-layer/kernels/kernels.js'
import { ModelMemory } from '../../../src/first-layer/kernels/model-memory.js'
import { ITEM_BYTES } from '../../../src/first-layer/tensors/named-tensor.js'

const DTYPES = ['float32', 'float16', 'bfloat16'] as const
const [ROWS, WIDTH, QUERIES] = [7, 5000, 9]
const tableBytes = 4 * ROWS * WIDTH
const sizes = [tableBytes, 4 * WIDTH * QUERIES, 4 * ROWS * QUERIES + 64, 4 * ROWS, SCORE_SCRATCH_BYTES]
const memory = ModelMemory.create(sizes.reduce((sum, size) => sum + size + 64, 0))
const kernels = instantiateKernels(memory.memory)
const [table, asked, out, squares, scratch] = sizes.map((size) => memory.allocate(size)) as [
  number,
  number,
  number,
  number,
  number,
]
/** Numbers that float16 and bfloat16 have exactly. */
const numbers = (count: number, seed: number) =>
  Float32Array.from({ length: count }, (_, i) => (((i + seed) * 7919) % 255) / 64 - 2)
const widths = [1, 3, 4, 7, 8, 16, 17, 255, 2047, 2048, 2049, 2052, 4096, WIDTH]

describe.each(DTYPES)('dot products of %s rows and queries, and the squares of rows', (dtype) => {
  test.each(widths)('of %i numbers, for all numbers of rows and queries', (width) => {
    const values = numbers(ROWS * width, 1)
    const queries = numbers(QUERIES * width, 77)
    const stored = memory.bytes(table, tableBytes)
    stored.fill(0)
    for (const [i, value] of values.entries()) storeNumber(stored, i, value, dtype)
    memory.float32(asked, QUERIES * width).set(queries)
    for (let rows = 1; rows <= ROWS; rows++)
      for (let count = 1; count <= QUERIES; count++) {
        const found = memory.float32(out, rows * count + 1).fill(-1)
        memory.float32(squares, ROWS).fill(-1)
        kernels.scoreRows(out, squares, table, STORAGE[dtype], rows, width, asked, count, scratch)
        for (let row = 0; row < rows; row++) {
          const numbersOf = values.subarray(row * width, (row + 1) * width)
          for (let q = 0; q < count; q++) {
            const exact = dot(numbersOf, queries.subarray(q * width, (q + 1) * width))
            expect(Math.abs(found[row * count + q]! - exact)).toBeLessThanOrEqual(bound(width))
          }
          expect(
            Math.abs(memory.float32(squares, ROWS)[row]! - dot(numbersOf, numbersOf)),
          ).toBeLessThanOrEqual(bound(width))
        }
        expect(found[rows * count]).toBe(-1)
      }
  })
})

test('squares are left alone where they are known', () => {
  memory.float32(squares, ROWS).fill(-1)
  kernels.scoreRows(out, 0, table, STORAGE.float32, ROWS, 16, asked, QUERIES, scratch)
  expect([...memory.float32(squares, ROWS)]).toEqual(Array(ROWS).fill(-1))
})

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i]!, 0)
/** Of sums in lanes: (width / 4 + 16) · 2^−24 times the lengths, each number being at most 2. */
const bound = (width: number) => (width / 4 + 16) * 2 ** -24 * 4 * width

function storeNumber(bytes: Uint8Array, i: number, value: number, dtype: (typeof DTYPES)[number]) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + i * ITEM_BYTES[dtype])
  if (dtype === 'float32') view.setFloat32(0, value, true)
  else {
    const [bits] = new Uint32Array(Float32Array.of(value).buffer)
    view.setUint16(0, dtype === 'bfloat16' ? bits! >>> 16 : float16(bits!), true)
  }
}

/** Of a normal number of float16, exact. */
function float16(bits: number): number {
  if ((bits & 0x7fffffff) === 0) return bits >>> 16
  return ((bits >>> 16) & 0x8000) | ((((bits >>> 23) & 0xff) - 112) << 10) | ((bits >>> 13) & 0x3ff)
}
