import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Blocks, runBlocks } from '../../../../src/first-layer/steps.js'
import { crc32 } from '../../../../src/first-layer/tensors/torch/crc32.js'
import { RowCrcs } from '../../../../src/first-layer/tensors/torch/row-crcs.js'
import { torchFile } from '../../../../src/first-layer/tensors/torch/torch-file.js'
import { checkProperty } from '../../../property.js'
import { slowCrc32 } from '../../../torch-file.js'

/** Rows of a table whose bytes say nothing about those of the next row. */
function tableOf(vocabSize: number, rowBytes: number, seed: number): Buffer[] {
  let state = seed
  const byte = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return state >>> 24
  }
  return Array.from({ length: vocabSize }, () => Buffer.from(Array.from({ length: rowBytes }, byte)))
}

/** `count` of a list at a time, the counts over and over. */
function* inParts<Item>(items: readonly Item[], counts: readonly number[]): Generator<Item[]> {
  for (let at = 0, i = 0; at < items.length; i++) {
    const count = counts[i % counts.length]!
    yield items.slice(at, at + count)
    at += count
  }
}

/** The CRC of the rows of `ids`, given in blocks of so many rows. */
function crcInBlocks(
  crcs: RowCrcs,
  table: readonly Buffer[],
  ids: readonly number[],
  counts: readonly number[],
  crc = 0,
): number {
  for (const part of inParts(ids, counts)) {
    crc = crcs.after(crc, Int32Array.from(part), (i) => table[part[i]!]!)
  }
  return crc
}

test('known and unknown rows of any table, in any blocks, have the CRC of their bytes', () =>
  checkProperty(
    fc.property(
      fc.record({
        vocabSize: fc.integer({ min: 1, max: 12 }),
        rowBytes: fc.oneof(fc.constantFrom(2, 4, 64, 2048), fc.integer({ min: 1, max: 300 })),
        seed: fc.integer(),
        crc: fc.nat(0xffffffff),
      }),
      fc.array(fc.array(fc.nat(), { maxLength: 40 }), { minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      ({ vocabSize, rowBytes, seed, crc }, documents, counts) => {
        const table = tableOf(vocabSize, rowBytes, seed)
        const crcs = new RowCrcs(vocabSize, rowBytes)
        for (const document of documents) {
          const ids = document.map((id) => id % vocabSize)
          const bytes = Buffer.concat(ids.map((id) => table[id]!))
          expect(crcInBlocks(crcs, table, ids, counts)).toBe(crc32(bytes))
          expect(crcInBlocks(crcs, table, ids, counts, crc)).toBe(crc32(bytes, crc))
        }
      },
    ),
    200,
  ))

test.each([1, 2, 3, 2048, 16_384])('rows of %i bytes', (rowBytes) => {
  const table = tableOf(20, rowBytes, rowBytes)
  const ids = Array.from({ length: 61 }, (_, i) => (i * i) % 20)
  const crcs = new RowCrcs(20, rowBytes)
  const expected = slowCrc32(Buffer.concat(ids.map((id) => table[id]!)))
  expect([crcInBlocks(crcs, table, ids, [7]), crcInBlocks(crcs, table, ids, [61])]).toEqual([
    expected,
    expected,
  ])
})

test('a row whose CRC is 0', () => {
  const row = Buffer.from('row\x46\xfc\xe9\xe9', 'latin1')
  expect(crc32(row)).toBe(0)
  const rows = Buffer.concat([row, row])
  expect(new RowCrcs(1, row.length).after(5, Int32Array.of(0, 0), () => row)).toBe(crc32(rows, 5))
})

test('a known row is not read again', () => {
  const table = tableOf(3, 8, 1)
  const crcs = new RowCrcs(3, 8)
  const crc = crcInBlocks(crcs, table, [0, 1, 2], [3])
  expect(crcs.after(0, Int32Array.of(0, 1, 2), () => new Uint8Array(8))).toBe(crc)
})

test('a torch file is the same with them as without', async () => {
  const table = tableOf(9, 6, 3)
  const crcs = new RowCrcs(9, 6)
  const fileOf = async (ids: readonly number[], counts: readonly number[], isKept: boolean) => {
    const tensor = {
      ...{ name: 'any', dtype: 'bfloat16' as const, shape: [ids.length, 3] },
      *blocks(): Blocks {
        for (const part of inParts(ids, counts)) yield Buffer.concat(part.map((id) => table[id]!))
      },
    }
    const parts = inParts(ids, counts)
    const crcOf = (block: Uint8Array, crc: number) =>
      crcs.after(crc, Int32Array.from(parts.next().value!), (i) => block.subarray(6 * i, 6 * i + 6))
    const blocks: Buffer[] = []
    for (const block of runBlocks(isKept ? torchFile(tensor, crcOf) : torchFile(tensor))) {
      blocks.push(Buffer.from(block))
    }
    return Buffer.concat(blocks)
  }
  for (const ids of [[1, 2, 1], [], [8, 8, 2, 0, 1, 7, 3]]) {
    expect((await fileOf(ids, [2, 1, 3], true)).equals(await fileOf(ids, [4], false))).toBe(true)
  }
})
