import fc from 'fast-check'
import { expect, test } from 'vitest'
import { instantiateKernels } from '../../src/kernels/kernels.js'
import { ModelMemory } from '../../src/kernels/model-memory.js'
import { bits } from '../random/goldens.js'
import { embedRowsTwin } from '../twins/embed-rows.js'
import { bfloat16Bits, float16Bits } from '../twins/sixteen-bits.js'

const memory = ModelMemory.create(1 << 22)
const kernels = instantiateKernels(memory.memory)
const TABLE_BYTES = 1 << 20
const [table, positions, ids, out] = [0, 1, 2, 3].map(() => memory.allocate(TABLE_BYTES - 64)) as [
  number,
  number,
  number,
  number,
]

const float = fc.integer().map((pattern) => new Float32Array(Int32Array.of(pattern).buffer)[0]!)

const requests = fc
  .record({
    dim: fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(128, 256)),
    vocabulary: fc.integer({ min: 1, max: 40 }),
    rows: fc.integer({ min: 0, max: 90 }),
    contextLength: fc.integer({ min: 1, max: 20 }),
    positionStart: fc.nat(5),
    firstRow: fc.nat(1000),
    hasPositions: fc.boolean(),
    numbers: fc.array(float, { minLength: 64, maxLength: 64 }),
  })
  .chain((request) =>
    fc.record({
      request: fc.constant(request),
      ids: fc.array(fc.nat(request.vocabulary - 1), { minLength: request.rows, maxLength: request.rows }),
    }),
  )

/** Long arrays are compared as text first: a deep comparison takes longer than the kernels. */
function expectSame(found: readonly unknown[], expected: readonly unknown[]): void {
  if (found.join() !== expected.join()) expect(found).toEqual(expected)
}

const sameBits = (values: Float32Array) =>
  bits(values).map((word, i) => (Number.isNaN(values[i]) ? 'NaN' : word))

test('rows of any width, with positions and without, equal the twin’s in every type', () => {
  fc.assert(
    fc.property(requests, ({ request, ids: list }) => {
      const { dim, vocabulary, rows, contextLength, positionStart, firstRow, hasPositions, numbers } = request
      // Different strides keep a row from resembling its neighbour.
      const fill = (length: number, step: number) =>
        Float32Array.from({ length }, (_, i) => numbers[(i * step + (i >> 5)) % 64]!)
      const tables = {
        table: fill(vocabulary * dim, 7),
        positions: fill((positionStart + contextLength) * dim, 11),
      }
      memory.float32(table, tables.table.length).set(tables.table)
      memory.float32(positions, tables.positions.length).set(tables.positions)
      memory.int32(ids, rows).set(list)
      const expected = embedRowsTwin({
        ...{ ...request, ids: list, table: tables.table },
        positions: hasPositions ? tables.positions : undefined,
      })

      const place = [
        table,
        ids,
        rows,
        dim,
        hasPositions ? positions : 0,
        positionStart,
        firstRow,
        contextLength,
      ] as const
      const count = rows * dim
      const after = memory.bytes(out, TABLE_BYTES - 64)

      after.fill(0xa5)
      kernels.embedRows(out, ...place)
      expectSame(sameBits(memory.float32(out, count).slice()), sameBits(expected))
      expect(after.subarray(4 * count, 4 * count + 64).every((byte) => byte === 0xa5)).toBe(true)

      for (const [embed, twin] of [
        [kernels.embedRowsFloat16, float16Bits],
        [kernels.embedRowsBfloat16, bfloat16Bits],
      ] as const) {
        after.fill(0xa5)
        embed(out, ...place)
        const found = [...new Uint16Array(memory.memory.buffer, out, count)]
        // The sign of a NaN that an addition makes is the processor's choice.
        const magnitude = (half: number) => ((half & 0x7fff) === 0x7e00 ? 0x7e00 : half)
        expectSame(found.map(magnitude), [...expected].map(twin).map(magnitude))
        expect(after.subarray(2 * count, 2 * count + 64).every((byte) => byte === 0xa5)).toBe(true)
      }
    }),
    { numRuns: 100 },
  )
})

test('without positions a row is copied as it is: −0 stays −0', () => {
  memory.float32(table, 5).fill(-0)
  memory.int32(ids, 1)[0] = 0
  kernels.embedRows(out, table, ids, 1, 5, 0, 0, 0, 1)
  expect(bits(memory.float32(out, 5).slice())).toEqual(Array(5).fill(0x80000000))
})
