import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantiateKernels, STORAGE } from '../../../src/first-layer/kernels/kernels.js'
import { ModelMemory } from '../../../src/first-layer/kernels/model-memory.js'
import { type FloatDtype, ITEM_BYTES } from '../../../src/first-layer/tensors/named-tensor.js'
import { checkProperty } from '../../property.js'
import { embedRowsTwin } from '../../twins/embed-rows.js'
import { bfloat16Value, float16Value } from '../../twins/sixteen-bits.js'
import { bits } from '../random/goldens.js'

const ROOM = 1 << 20
const memory = ModelMemory.create(1 << 23)
const kernels = instantiateKernels(memory.memory)
const [tablePlace, positionsPlace, idsPlace, outPlace] = [0, 1, 2, 3].map(() => memory.allocate(ROOM)) as [
  number,
  number,
  number,
  number,
]
const GUARD = 0xa5
const GUARD_BYTES = 64

const DTYPES = ['float32', 'float16', 'bfloat16'] as const
/** Numbers of a type from random bits, and their values. */
function storedNumbers(dtype: FloatDtype, patterns: readonly number[], length: number, step: number) {
  // Different strides keep a row from resembling its neighbour.
  const pattern = (i: number) => patterns[(i * step + (i >> 5)) % patterns.length]!
  if (dtype === 'float32') {
    const words = Uint32Array.from({ length }, (_, i) => pattern(i))
    return { bytes: new Uint8Array(words.buffer), values: new Float32Array(words.buffer) }
  }
  const twin = dtype === 'float16' ? float16Value : bfloat16Value
  const words = Uint16Array.from({ length }, (_, i) => pattern(i) >>> 16)
  return { bytes: new Uint8Array(words.buffer), values: Float32Array.from(words, twin) }
}

const dims = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 70 }) },
  fc.constantFrom(1, 3, 7, 15, 17, 128, 256, 1024),
)

const requestsOf = (tableTypes: readonly FloatDtype[], positionTypes: readonly FloatDtype[]) =>
  fc
    .record({
      dim: dims,
      vocabulary: fc.integer({ min: 1, max: 40 }),
      rows: fc.integer({ min: 0, max: 90 }),
      contextLength: fc.integer({ min: 1, max: 20 }),
      positionStart: fc.nat(5),
      firstRow: fc.nat(1000),
      tableType: fc.constantFrom(...tableTypes),
      positionType: fc.constantFrom(undefined, ...positionTypes),
      patterns: fc.array(fc.nat(0xffff_ffff), { minLength: 64, maxLength: 64 }),
      // Elements by which table, positions and rows lie off the cache line.
      offsets: fc.tuple(fc.nat(31), fc.nat(31), fc.nat(15)),
    })
    .chain((request) =>
      fc.record({
        request: fc.constant(request),
        ids: fc.array(fc.nat(request.vocabulary - 1), { minLength: request.rows, maxLength: request.rows }),
      }),
    )
type Request = ReturnType<typeof requestsOf> extends fc.Arbitrary<infer Value> ? Value : never

/** Long arrays are compared as text first: a deep comparison takes longer than the kernels. */
function expectSame(found: readonly unknown[], expected: readonly unknown[]): void {
  if (found.join() !== expected.join()) expect(found).toEqual(expected)
}

const sameBits = (values: Float32Array) =>
  bits(values).map((word, i) => (Number.isNaN(values[i]) ? 'NaN' : word))

/** Writes table, positions and ids to the memory; returns their places and the twin's sums. */
function prepared({ request, ids }: Request) {
  const { dim, vocabulary, rows, contextLength, positionStart, firstRow, tableType, positionType } = request
  const put = (place: number, offset: number, dtype: FloatDtype, length: number, step: number) => {
    const { bytes, values } = storedNumbers(dtype, request.patterns, length, step)
    const pointer = place + offset * ITEM_BYTES[dtype]
    memory.bytes(pointer, bytes.length).set(bytes)
    return { pointer, values, bytes }
  }
  const table = put(tablePlace, request.offsets[0], tableType, vocabulary * dim, 7)
  const positions =
    positionType &&
    put(positionsPlace, request.offsets[1], positionType, (positionStart + contextLength) * dim, 11)
  memory.int32(idsPlace, rows).set(ids)
  const sums = embedRowsTwin({
    table: table.values,
    ids,
    dim,
    positions: positions?.values,
    positionStart,
    firstRow,
    contextLength,
  })
  const places = [positionStart, firstRow, contextLength] as const
  return { table, positions: positions?.pointer ?? 0, sums, places, count: rows * dim }
}

/** Lets a kernel write `bytes` at `out` between guards, and returns them. */
function guarded(out: number, bytes: number, kernel: (out: number) => void): Uint8Array {
  const around = memory.bytes(out - GUARD_BYTES, bytes + 2 * GUARD_BYTES).fill(GUARD)
  kernel(out)
  expect(around.subarray(0, GUARD_BYTES).every((byte) => byte === GUARD)).toBe(true)
  expect(around.subarray(GUARD_BYTES + bytes).every((byte) => byte === GUARD)).toBe(true)
  return memory.bytes(out, bytes).slice()
}

test('float32 sums of rows of any type and width, with positions of any type and without, equal the twin’s', async () => {
  await checkProperty(
    fc.property(requestsOf(DTYPES, DTYPES), (given) => {
      const { dim, rows, tableType, positionType = 'float32', offsets } = given.request
      const { table, positions, sums, places, count } = prepared(given)
      const [tableStorage, positionStorage] = [STORAGE[tableType], STORAGE[positionType]]
      const bytes = guarded(outPlace + GUARD_BYTES + 4 * offsets[2], 4 * count, (out) =>
        kernels.embedRows(
          out,
          table.pointer,
          tableStorage,
          idsPlace,
          rows,
          dim,
          positions,
          positionStorage,
          ...places,
        ),
      )
      expectSame(sameBits(new Float32Array(bytes.buffer)), sameBits(sums))
    }),
    300,
  )
})

test('rows of any type are copied byte by byte', async () => {
  await checkProperty(
    fc.property(requestsOf(DTYPES, DTYPES), (given) => {
      const { dim, rows, tableType, offsets } = given.request
      const { table } = prepared(given)
      const rowBytes = dim * ITEM_BYTES[tableType]
      const bytes = guarded(outPlace + GUARD_BYTES + 2 * offsets[2], rows * rowBytes, (out) =>
        kernels.copyRows(out, table.pointer, idsPlace, rows, rowBytes),
      )
      const expected = given.ids.map((id) =>
        Buffer.from(table.bytes).subarray(id * rowBytes, (id + 1) * rowBytes),
      )
      expect(Buffer.concat(expected).equals(bytes)).toBe(true)
    }),
    100,
  )
})

describe.each([
  ['float16', float16Value],
  ['bfloat16', bfloat16Value],
] as const)('every number of %s', (dtype, twin) => {
  const patterns = Uint16Array.from({ length: 1 << 16 }, (_, i) => i)

  // Whole vectors, half of one, and none at all.
  test.each([64, 4, 1])('is widened exactly, in rows of %i', (dim) => {
    const rows = patterns.length / dim
    memory.uint16(tablePlace, patterns.length).set(patterns)
    memory.int32(idsPlace, rows).set(Int32Array.from({ length: rows }, (_, i) => i))
    kernels.embedRows(outPlace, tablePlace, STORAGE[dtype], idsPlace, rows, dim, 0, 0, 0, 0, 1)
    const found = memory.float32(outPlace, patterns.length)
    const wrong = [...patterns].filter((pattern) => !Object.is(found[pattern], twin(pattern)))
    expect(wrong).toEqual([])
  })
})

test('without positions a row is copied as it is: −0 stays −0', () => {
  memory.float32(tablePlace, 5).fill(-0)
  memory.int32(idsPlace, 1)[0] = 0
  kernels.embedRows(outPlace, tablePlace, STORAGE.float32, idsPlace, 1, 5, 0, 0, 0, 0, 1)
  expect(bits(memory.float32(outPlace, 5).slice())).toEqual(Array(5).fill(0x80000000))
})

test('the last row of a memory is read to its end and no further', () => {
  const small = ModelMemory.create(0)
  const end = small.memory.buffer.byteLength
  const onlyRow = instantiateKernels(small.memory)
  const ids = end - 256
  small.uint16(end - 2, 1)[0] = 0x3c00
  small.int32(ids, 1)[0] = 0
  onlyRow.embedRows(end - 128, end - 2, STORAGE.float16, ids, 1, 1, 0, 0, 0, 0, 1)
  expect(small.float32(end - 128, 1)[0]).toBe(1)
})
