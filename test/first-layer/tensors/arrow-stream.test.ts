import { type FixedSizeList, type Table, tableFromIPC } from 'apache-arrow'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { arrowStream } from '../../../src/first-layer/tensors/arrow/arrow-stream.js'
import {
  byteLength,
  type Dtype,
  ITEM_BYTES,
  type NamedTensor,
} from '../../../src/first-layer/tensors/named-tensor.js'
import { checkProperty } from '../../property.js'

const DTYPES = ['int32', 'int64', 'float32', 'float16'] as const satisfies readonly Dtype[]

interface Given {
  readonly rows: number
  readonly columns: readonly {
    readonly name: string
    readonly dtype: Dtype
    readonly axes: readonly number[]
  }[]
  readonly metadata: Readonly<Record<string, string>>
  readonly blockBytes: number
}

const given: fc.Arbitrary<Given> = fc.record({
  rows: fc.nat(5),
  columns: fc.uniqueArray(
    fc.record({
      name: fc.string({ unit: 'grapheme', maxLength: 20 }),
      dtype: fc.constantFrom(...DTYPES),
      axes: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 4, selector: ({ name }) => name },
  ),
  metadata: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), { maxKeys: 30 }),
  blockBytes: fc.integer({ min: 1, max: 100 }),
})

/** Bytes that are finite numbers of every type. */
function tensorOf(
  { name, dtype, axes }: Given['columns'][number],
  rows: number,
  blockBytes: number,
): NamedTensor & { bytes: Buffer } {
  const shape = [rows, ...axes]
  const bytes = Buffer.alloc(byteLength({ dtype, shape })).map((_, i) => (i * 7 + name.length) % 60) as Buffer
  const step = Math.ceil(blockBytes / ITEM_BYTES[dtype]) * ITEM_BYTES[dtype]
  return {
    ...{ name, dtype, shape, bytes },
    *blocks() {
      for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
    },
  }
}

function streamOf(metadata: Given['metadata'], tensors: readonly NamedTensor[]): Buffer {
  const stream = arrowStream(metadata, tensors)
  const bytes = Buffer.concat([...stream.blocks()] as Uint8Array[])
  expect(bytes.length).toBe(stream.bytes)
  return bytes
}

/** The column's axes behind the first, and its elements, through all of its lists. */
function leafOf(table: Table, index: number): { axes: number[]; bytes: Buffer } {
  let data = table.getChildAt(index)!.data[0]!
  const axes: number[] = []
  while (data.children.length > 0) {
    axes.push((data.type as FixedSizeList).listSize)
    data = data.children[0]!
  }
  const { buffer, byteOffset, byteLength } = data.values as Uint8Array
  return { axes, bytes: Buffer.from(buffer, byteOffset, byteLength) }
}

test('Apache Arrow reads every tensor, its shape, its bytes and the metadata', async () => {
  await checkProperty(
    fc.property(given, ({ rows, columns, metadata, blockBytes }) => {
      const tensors = columns.map((column) => tensorOf(column, rows, blockBytes))
      const table = tableFromIPC(streamOf(metadata, tensors))
      expect(table.numRows).toBe(rows)
      expect(Object.fromEntries(table.schema.metadata)).toEqual(metadata)
      expect(table.schema.fields.map(({ name, nullable }) => [name, nullable])).toEqual(
        columns.map(({ name }) => [name, false]),
      )
      for (const [index, { bytes, dtype, shape }] of tensors.entries()) {
        if (rows === 0) continue
        const leaf = leafOf(table, index)
        expect(leaf.axes).toEqual(shape.slice(1))
        expect(leaf.bytes.subarray(0, bytes.length).equals(bytes), dtype).toBe(true)
      }
    }),
    200,
  )
})

test('names the element types as Arrow does', () => {
  const columns = DTYPES.map((dtype) => ({ name: dtype, dtype, axes: [2, 3] }))
  const { schema } = tableFromIPC(
    streamOf(
      {},
      columns.map((column) => tensorOf(column, 4, 64)),
    ),
  )
  expect(schema.fields.map(({ type }) => String(type))).toEqual(
    ['Int32', 'Int64', 'Float32', 'Float16'].map((name) => `FixedSizeList[2]<FixedSizeList[3]<${name}>>`),
  )
})

test('every column begins at a multiple of 64 in the stream', () => {
  const tensors = [3, 5, 7].map((size) =>
    tensorOf({ name: `c${size}`, dtype: 'float32', axes: [size] }, 3, 64),
  )
  for (const { bytes } of tensors) bytes.fill(bytes.length) // found again by what it holds
  const stream = streamOf({ 'a key': 'x'.repeat(33) }, tensors)
  for (const { bytes } of tensors) expect(stream.indexOf(bytes) % 64).toBe(0)
  expect(stream.length % 64).toBe(8)
})
