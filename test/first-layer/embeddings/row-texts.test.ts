import { registerBackend, setBackend } from '@tensorflow/tfjs-core'
import { expect, test } from 'vitest'
import { rowsOfTable } from '../../../src/first-layer/embeddings/position-rows.js'
import type { RowSource } from '../../../src/first-layer/embeddings/row-tensor.js'
import { haveTexts, rowTexts } from '../../../src/first-layer/embeddings/row-texts.js'
import type { Blocks } from '../../../src/first-layer/steps.js'
import { type Claim, UNBOUNDED } from '../../../src/load/claim.js'
import { driveBlocks } from '../../../src/load/drive.js'
import { modelOf } from '../neighbors/table-model.js'
import { FakeTensorflow } from './backends/fake-tensorflow.js'

const VOCAB = 40
const WIDTH = 3
const { model, parts } = modelOf(
  Array.from({ length: VOCAB * WIDTH }, (_, i) => Math.sin(i)),
  WIDTH,
  'bfloat16',
)
const { workspace } = model
const table = parts.tables.places[0]!.pointer
const idOf = (row: number) => (row * row) % VOCAB

/** Rows of the model's table; notes which were asked for. */
function sourceOf(rows: number, asked: number[] = []): RowSource {
  return {
    ...{
      name: 'rows',
      shape: [rows, WIDTH],
      dtype: 'bfloat16',
      table: model.tokenTable,
      contextLength: rows,
    },
    fillIds(ids, first) {
      expect(first).toBe(asked.reduce((sum, count) => sum + count, 0))
      asked.push(ids.length)
      for (let i = 0; i < ids.length; i++) ids[i] = idOf(first + i)
    },
  }
}

async function textOf(rows: number, held: readonly number[], claim: Claim = UNBOUNDED) {
  const lease = workspace.leaseInside(workspace.blockBytes)!
  const asked: number[] = []
  const places = { workspace, table, text: lease.bytes }
  const texts = rowTexts(sourceOf(rows, asked), places, Uint8Array.from(held))
  const found: string[] = []
  let rest: readonly number[] = []
  function* blocks(): Blocks {
    rest = [...(yield* texts)]
  }
  try {
    for await (const block of driveBlocks(claim, blocks())) found.push(Buffer.from(block).toString())
    return { found, rest, asked }
  } finally {
    lease.release()
  }
}

function expected(rows: number, held: readonly number[]) {
  const rowBytes = 2 * WIDTH
  const row = (i: number) => workspace.memory.bytes(table + idOf(i) * rowBytes, rowBytes)
  const bytes = Buffer.concat([Buffer.from(held), ...Array.from({ length: rows }, (_, i) => row(i))])
  const whole = bytes.length - (bytes.length % 3)
  return { text: bytes.toString('base64', 0, whole), rest: [...bytes.subarray(whole)] }
}

test.each([[[]], [[1]], [[255, 254]]])(
  'text of rows behind %j, while others use the scratch space',
  async (held) => {
    const rows = 200_000 // more than the ids of one block
    const others = setInterval(() => workspace.ids.fill(-1), 0)
    const { found, rest, asked } = await textOf(rows, held)
    clearInterval(others)
    const { text, rest: left } = expected(rows, held)
    expect(found.join('') === text).toBe(true)
    expect(found).toHaveLength(4)
    expect(rest).toEqual(left)
    expect(asked.reduce((sum, count) => sum + count)).toBe(rows)
    expect(asked[0]).toBe(1024) // before it is known how long a step takes
  },
)

test('no rows: what is held comes back', async () => {
  expect(await textOf(0, [7, 0])).toEqual({ found: [], rest: [7, 0], asked: [] })
})

test('text that is not wanted any more ends at the next turn', async () => {
  const gone = () => {
    throw new Error('gone')
  }
  const { freeBlocks } = workspace
  await expect(textOf(40_000_000, [], { ...UNBOUNDED, throwIfAborted: gone })).rejects.toThrow('gone')
  expect(workspace.freeBlocks).toBe(freeBlocks)
})

test('only rows that go out as they are stored have such text, and only on cpu', async () => {
  const source = sourceOf(5)
  const positions = () => rowsOfTable(model.tokenTable, 0)
  expect(haveTexts(source, workspace)).toBe(true)
  expect(haveTexts({ ...source, dtype: 'float32' }, workspace)).toBe(false)
  expect(haveTexts({ ...source, dtype: 'float16' }, workspace)).toBe(false)
  expect(haveTexts({ ...source, steps: [() => {}] }, workspace)).toBe(false)
  expect(haveTexts({ ...source, positions }, workspace)).toBe(false)
  expect(haveTexts({ ...source, shape: [1, 400_000] }, workspace)).toBe(false)
  registerBackend('tensorflow', () => new FakeTensorflow())
  await setBackend('tensorflow')
  expect(haveTexts(source, workspace)).toBe(false)
  await setBackend('cpu')
  expect(haveTexts(source, workspace)).toBe(true)
})
