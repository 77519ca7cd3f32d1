import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import fc from 'fast-check'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import type { Blocks } from '../../../src/first-layer/steps.js'
import {
  byteLength,
  type Dtype,
  ITEM_BYTES,
  type NamedTensor,
} from '../../../src/first-layer/tensors/named-tensor.js'
import { arrowIds } from '../../../src/run/write/arrow-ids.js'
import { parquetIds } from '../../../src/run/write/parquet/parquet-ids.js'
import { parquetTensors } from '../../../src/run/write/parquet/parquet-tensors.js'
import { type IdsEncoder, TableOutput } from '../../../src/run/write/table-output.js'
import { inFolder } from '../../cli/run-command.js'
import { checkProperty } from '../../property.js'

type Documents = readonly (readonly number[])[]

const READERS: readonly [string, () => IdsEncoder, (file: Buffer) => Promise<Documents>][] = [
  ['parquet', parquetIds, fromParquet],
  ['arrow', arrowIds, fromArrow],
]

async function fromParquet(file: Buffer): Promise<Documents> {
  const { buffer, byteOffset, byteLength } = file
  const rows = await parquetReadObjects({
    file: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer,
  })
  return rows.map(({ input_ids }) => [...input_ids])
}

async function fromArrow(file: Buffer): Promise<Documents> {
  return tableFromIPC(file)
    .toArray()
    .map(({ input_ids }) => [...input_ids])
}

/** Writes documents in pieces. @returns the file, and what the output says of it */
function written(folder: string, encoder: IdsEncoder, documents: Iterable<readonly number[]>, piece: number) {
  return (async () => {
    const output = await TableOutput.begin(folder, encoder)
    for (const document of documents) {
      for (let at = 0; at < document.length; at += piece)
        await output.write(Int32Array.from(document.slice(at, at + piece)), new Int32Array(0))
      await output.write(new Int32Array(0), Int32Array.of(0))
    }
    const facts = await output.commit({ name: 'a', characters: 0 })
    return { facts, file: readFileSync(join(folder, facts.output)) }
  })()
}

describe.each(READERS)('a table in %s', (_, encoder, read) => {
  test('has a row for each document, however it came', async () => {
    const someIds = fc.array(fc.nat(2 ** 31 - 1), { maxLength: 300 })
    await inFolder((folder) =>
      checkProperty(
        fc.asyncProperty(
          fc.array(someIds, { maxLength: 40 }),
          fc.integer({ min: 1, max: 100 }),
          async (documents, piece) => {
            const { facts, file } = await written(folder, encoder(), documents, piece)
            expect(await read(file)).toEqual(documents)
            expect(facts).toMatchObject({ documents: documents.length, tokens: documents.flat().length })
            expect(facts.output_bytes).toBe(file.length)
          },
        ),
        60,
      ),
    )
  })

  test('has several batches, cut between documents, and a document that is longer than one', () =>
    inFolder(async (folder) => {
      const long = Array.from({ length: 1_500_000 }, (_, i) => i)
      const documents = [
        [1, 2],
        long,
        [],
        [3],
        ...Array.from({ length: 70_000 }, (_, i) => (i % 3 === 0 ? [] : [i])),
      ]
      const { file } = await written(folder, encoder(), documents, 65_536)
      const rows = await read(file)
      expect(rows.length).toBe(documents.length)
      expect(
        rows.every(
          (row, i) => row.length === documents[i]!.length && row.every((id, j) => id === documents[i]![j]),
        ),
      ).toBe(true)
    }))
})

describe('tensors in Parquet', () => {
  const column = fc.record({
    dtype: fc.constantFrom<Dtype>('int32', 'int64', 'float32', 'float16'),
    axes: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  })

  test('are lists of their axes, with their bytes in the order of rows', async () => {
    await checkProperty(
      fc.asyncProperty(
        fc.array(column, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        async (columns, rows) => {
          const tensors = columns.map(({ dtype, axes }, i) => counting(`c${i}`, dtype, [rows, ...axes]))
          const objects = await rowsOf(tensors)
          for (const [i, { shape }] of tensors.entries()) {
            const read = objects.map((row) => row[`c${i}`])
            expect(numbersIn(read)).toEqual(
              Array.from({ length: shape.reduce((a, b) => a * b) }, (_, at) => at % 100),
            )
            expect(shapeOf(read)).toEqual(shape)
          }
        },
      ),
      60,
    )
  })

  test('go in row groups of 64 MiB and pages of a megabyte, wide rows too', async () => {
    const tensors = [counting('wide', 'float32', [5, 3, 2_000_000]), counting('ids', 'int32', [5])]
    const file = await fileOf(tensors)
    const { row_groups, num_rows } = parquetMetadata(file)
    expect([num_rows, row_groups.length]).toEqual([5n, 3])
    expect(row_groups.map((group) => group.num_rows)).toEqual([2n, 2n, 1n])
    const narrow = parquetMetadata(await fileOf([counting('narrow', 'float32', [3_000_000])]))
    expect(narrow.row_groups.length).toBe(1)
  })

  test('of no rows are a file without row groups', async () => {
    expect(await rowsOf([counting('none', 'float32', [0, 4])])).toEqual([])
  })
})

/** 0, 1, … 99, 0, … in every type. */
function counting(name: string, dtype: Dtype, shape: readonly number[]): NamedTensor {
  const item = ITEM_BYTES[dtype]
  return {
    ...{ name, dtype, shape },
    *blocks(): Blocks {
      const count = byteLength({ dtype, shape }) / item
      for (let at = 0; at < count; at += 70_000) {
        const values = Array.from({ length: Math.min(70_000, count - at) }, (_, i) => (at + i) % 100)
        if (dtype === 'int64') yield new Uint8Array(BigInt64Array.from(values, BigInt).buffer)
        else if (dtype === 'int32') yield new Uint8Array(Int32Array.from(values).buffer)
        else if (dtype === 'float32') yield new Uint8Array(Float32Array.from(values).buffer)
        else yield new Uint8Array(Uint16Array.from(values, float16).buffer)
      }
    },
  }
}

/** The bits of a small natural number. */
function float16(value: number): number {
  if (value === 0) return 0
  const exponent = Math.floor(Math.log2(value))
  return ((exponent + 15) << 10) | ((value / 2 ** exponent - 1) * 1024)
}

async function fileOf(tensors: readonly NamedTensor[]): Promise<ArrayBuffer> {
  const { body } = parquetTensors.encode({ tensors, metadata: {} }, { encodingFormat: 'float' })
  const blocks: Uint8Array[] = []
  for (const block of body as Blocks) if (block instanceof Uint8Array) blocks.push(block.slice())
  return new Uint8Array(Buffer.concat(blocks)).buffer
}

async function rowsOf(tensors: readonly NamedTensor[]): Promise<Record<string, unknown>[]> {
  return parquetReadObjects({ file: await fileOf(tensors) })
}

function numbersIn(value: unknown): number[] {
  return typeof value === 'object' ? [...(value as unknown[])].flatMap(numbersIn) : [Number(value)]
}

function shapeOf(value: unknown): number[] {
  return typeof value === 'object' ? [(value as unknown[]).length, ...shapeOf((value as unknown[])[0])] : []
}
