import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useWorkspace } from '../../../src/first-layer/embeddings/backends/cpu.js'
import { selectBackend } from '../../../src/first-layer/embeddings/backends/select.js'
import {
  numbersIn,
  type StoredNumbers,
  type Table,
  tableOver,
} from '../../../src/first-layer/embeddings/op.js'
import { computedRows, rowsOfTable } from '../../../src/first-layer/embeddings/position-tensors.js'
import { type RowSource, rowTensor } from '../../../src/first-layer/embeddings/row-tensor.js'
import {
  allocateWorkspace,
  BLOCK_BYTES,
  Workspace,
  workspaceBytes,
} from '../../../src/first-layer/embeddings/workspace.js'
import { ModelMemory } from '../../../src/first-layer/kernels/model-memory.js'
import { blocksNow } from '../../../src/first-layer/tensors/blocks.js'
import { elementCount, type FloatDtype } from '../../../src/first-layer/tensors/named-tensor.js'
import { gatherAndAddTwin } from '../../twins/input-embeddings.js'
import { stored, valuesOf } from '../../twins/stored-numbers.js'

const DTYPES = ['float32', 'float16', 'bfloat16'] as const
const [VOCAB, POSITIONS, T, C] = [50, 12, 7, 33]
const memory = ModelMemory.create(workspaceBytes(C) + 4 * (VOCAB + POSITIONS) * C + 4096)
const workspace = new Workspace(memory, allocateWorkspace(memory, C))
const places = { table: memory.allocate(4 * VOCAB * C), positions: memory.allocate(4 * POSITIONS * C) }
const idOf = (row: number) => (row * 31) % VOCAB

beforeAll(async () => {
  useWorkspace(workspace)
  await selectBackend('cpu')
})

/** A table in the model's memory, and its numbers' values. */
interface Known {
  readonly table: Table
  readonly values: Float32Array
}

function tableIn(place: number, rows: number, dtype: FloatDtype): Known {
  const length = rows * C
  const numbers = numbersIn(memory.bytes(place, 4 * length), dtype, length)
  const waves = Float32Array.from({ length }, (_, i) => Math.sin(i * 1.7))
  numbers.set(stored(waves, dtype))
  return { table: tableOver(numbers, dtype, C), values: valuesOf(numbers, dtype) }
}

async function read(source: RowSource): Promise<StoredNumbers> {
  const blocks: Buffer[] = []
  for (const block of blocksNow(rowTensor(source, workspace).blocks())) blocks.push(Buffer.from(block))
  return numbersIn(new Uint8Array(Buffer.concat(blocks)), source.dtype, elementCount(source.shape))
}

const scale = (rows: Float32Array) => {
  for (let i = 0; i < rows.length; i++) rows[i] *= 3
}

describe.each(DTYPES)('rows of a table of %s', (tableDtype) => {
  let tokens: Known
  let positions: Known
  beforeAll(() => {
    tokens = tableIn(places.table, VOCAB, tableDtype)
    positions = tableIn(places.positions, POSITIONS, tableDtype)
  })
  afterAll(() => {
    for (const { table } of [tokens, positions]) table.tensor.dispose()
  })

  const sourceOf = (dtype: FloatDtype, windows: number): RowSource => ({
    name: 'rows',
    shape: [windows, T, C],
    dtype,
    table: tokens.table,
    fillIds(out, first) {
      for (let i = 0; i < out.length; i++) out[i] = idOf(first + i)
    },
  })
  const twin = (windows: number, added?: Float32Array, positionStart = 0) => {
    const ids = Int32Array.from({ length: windows * T }, (_, i) => idOf(i))
    const place = { dim: C, positionStart, contextLength: T, firstRow: 0 }
    return gatherAndAddTwin({ ...place, table: tokens.values, ids, positions: added })
  }
  const expectSame = (found: StoredNumbers, expected: Float32Array, dtype: FloatDtype) =>
    expect(Buffer.from(found.buffer).equals(Buffer.from(stored(expected, dtype).buffer))).toBe(true)

  describe.each(DTYPES)('as %s', (dtype) => {
    test('alone, with rows of a table added, with computed rows added', async () => {
      const source = sourceOf(dtype, 5)
      expectSame(await read(source), twin(5), dtype)
      const fromTable = () => rowsOfTable(positions.table, 5, T)
      expectSame(await read({ ...source, positions: fromTable }), twin(5, positions.values, 5), dtype)
      const computed = Float32Array.from({ length: T * C }, (_, i) => Math.cos(i))
      const fill = (out: Float32Array, start: number) => out.set(computed.subarray(start, start + out.length))
      const fromFill = () => computedRows(fill, T, C)
      expectSame(await read({ ...source, positions: fromFill }), twin(5, computed), dtype)
    })

    test('are rounded once, after all steps', async () => {
      const source = sourceOf(dtype, 5)
      const scaled = twin(5)
      scale(scaled)
      expectSame(await read({ ...source, steps: ['positions', scale] }), scaled, dtype)
      const added = positions.values.subarray(0, T * C)
      const sums = scaled.map((value, i) => value + added[i % added.length])
      const fromTable = () => rowsOfTable(positions.table, 0, T)
      expectSame(await read({ ...source, positions: fromTable, steps: [scale, 'positions'] }), sums, dtype)
    })

    test('are the same where no pooled block is free', async () => {
      const leases = Array.from({ length: workspace.freeBlocks }, () => workspace.lease(1, 1))
      const source = sourceOf(dtype, 5)
      const fromTable = () => rowsOfTable(positions.table, 1, T)
      expectSame(await read({ ...source, positions: fromTable }), twin(5, positions.values, 1), dtype)
      expectSame(await read(source), twin(5), dtype)
      for (const { release } of leases) release()
    })
  })

  test('go on where a block ends', async () => {
    const windows = Math.ceil((1.5 * BLOCK_BYTES) / (4 * T * C))
    const source = { ...sourceOf(tableDtype, windows), positions: () => rowsOfTable(positions.table, 2, T) }
    expectSame(await read(source), twin(windows, positions.values, 2), tableDtype)
    const alone = sourceOf(tableDtype, windows)
    expectSame(await read(alone), twin(windows), tableDtype)
  })
})
