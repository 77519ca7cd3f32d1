import fc from 'fast-check'
import { expect, test } from 'vitest'
import { instantiateKernels } from '../../../src/first-layer/kernels/kernels.js'
import { ModelMemory } from '../../../src/first-layer/kernels/model-memory.js'
import { checkProperty } from '../../property.js'

const TABLE_BYTES = 1 << 18
const OUT_BYTES = 1 << 20
const GUARD = 0xa5
const memory = ModelMemory.create(1 << 21)
const { base64Rows } = instantiateKernels(memory.memory)
const table = memory.allocate(TABLE_BYTES)
const ids = memory.allocate(1 << 14)
const out = memory.allocate(OUT_BYTES)

/** Every byte once, and then in another order. */
memory.bytes(table, TABLE_BYTES).forEach((_, i, bytes) => {
  bytes[i] = i < 256 ? i : (i * 2_654_435_761) >>> 13
})

const packed = (bytes: readonly number[]) =>
  (bytes.length << 16) | bytes.reduce((all, byte) => (all << 8) | byte, 0)

/** The kernel's text and held bytes, and Node's; shows writes behind the text. */
function expectSame(rowBytes: number, rows: readonly number[], held: readonly number[], offset: number) {
  memory.int32(ids, rows.length).set(rows)
  const bytes = Buffer.concat([
    Buffer.from(held),
    ...rows.map((id) => memory.bytes(table + id * rowBytes, rowBytes)),
  ])
  const whole = bytes.length - (bytes.length % 3)
  const text = bytes.toString('base64', 0, whole)
  const room = memory.bytes(out, offset + text.length + 32).fill(GUARD)
  const left = base64Rows(out + offset, table, ids, rows.length, rowBytes, packed(held))
  expect(Buffer.from(room).toString('latin1')).toBe(`${'\xa5'.repeat(offset)}${text}${'\xa5'.repeat(32)}`)
  expect(left).toBe(packed([...bytes.subarray(whole)]))
}

test('rows of any length behind any bytes are Node’s base64', () =>
  checkProperty(
    fc.property(
      fc.oneof(fc.integer({ min: 1, max: 70 }), fc.constantFrom(2048, 4098, 9000)),
      fc.array(fc.nat(), { maxLength: 40 }),
      fc.array(fc.nat(255), { maxLength: 2 }),
      fc.nat(20),
      (rowBytes, seeds, held, offset) => {
        const vocabulary = Math.floor(TABLE_BYTES / rowBytes)
        const rows = seeds.map((seed, i) => (i % 7 === 3 ? vocabulary - 1 : seed % vocabulary))
        expectSame(rowBytes, rows, held, offset)
      },
    ),
    300,
  ))

test.each([1, 2, 3, 4, 11, 12, 13, 14, 15, 16, 28])(
  'all byte values in rows of %i are Node’s base64',
  (rowBytes) => {
    const rows = Array.from({ length: Math.floor(4096 / rowBytes) }, (_, i) => i)
    for (const held of [[], [0], [255, 0]]) expectSame(rowBytes, rows, held, 0)
  },
)

test.each([2, 14, 26, 2054])(
  'the last row of a memory, of %i bytes, is read to its end and no further',
  (rowBytes) => {
    const small = ModelMemory.create(0)
    const end = small.memory.buffer.byteLength
    const text = end - (1 << 13)
    small.bytes(end - rowBytes, rowBytes).fill(0xfb)
    small.int32(text - 4, 1)[0] = 0
    const kernels = instantiateKernels(small.memory)
    kernels.base64Rows(text, end - rowBytes, text - 4, 1, rowBytes, 0x1_00fb)
    const length = Math.floor((1 + rowBytes) / 3) * 4
    expect(Buffer.from(small.bytes(text, length)).toString()).toBe('+/v7'.repeat(length / 4))
  },
)
