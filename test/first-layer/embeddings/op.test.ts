import {
  engine,
  grads,
  memory,
  type Tensor,
  type Tensor1D,
  type Tensor2D,
  tensor1d,
  tensor2d,
} from '@tensorflow/tfjs-core'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gatherAndAdd, type Table } from '../../../src/first-layer/embeddings/op.js'
import { type TestService, testService } from '../../helper.js'
import { checkProperty } from '../../property.js'
import { itHasGradientsOfFloat32, itLooksUpAnyWidth } from './backends/any-width.js'

const VOCAB = 7
const POSITIONS = 5
const DIM = 3

let service: TestService
let table: Table
let positions: Table
beforeAll(async () => {
  service = await testService({
    VOCAB_SIZE: String(VOCAB),
    MAX_POSITION_EMBEDDINGS: String(POSITIONS),
    EMBEDDING_DIM: String(DIM),
  })
  table = service.model.tokenTable
  positions = service.model.table('wpe.weight') as Table
})
afterAll(() => service.close())

const float32 = (tensor: Tensor): Table => ({ tensor: tensor as Tensor2D, dtype: 'float32' })

/** A [rows, DIM] matrix of zeros, to which rows are added one by one. */
class Scatter {
  readonly rows: number[][]
  constructor(rows: number) {
    this.rows = Array.from({ length: rows }, () => Array(DIM).fill(0))
  }
  add(row: number, values: readonly number[]): void {
    for (const [c, value] of values.entries()) this.rows[row][c] += value
  }
}

const someCall = fc
  .record({
    contextLength: fc.integer({ min: 1, max: 3 }),
    positionStart: fc.integer({ min: 0, max: POSITIONS - 3 }),
    firstRow: fc.nat(9),
    ids: fc.array(fc.nat(VOCAB - 1), { minLength: 1, maxLength: 12 }),
  })
  .chain((call) =>
    // Small integers: their sums are exact in float32, in any order.
    fc.record({
      call: fc.constant(call),
      upstream: fc.array(fc.array(fc.integer({ min: -9, max: 9 }), { minLength: DIM, maxLength: DIM }), {
        minLength: call.ids.length,
        maxLength: call.ids.length,
      }),
    }),
  )

describe('the gradient of the op', () => {
  test('adds each upstream row to the table row and the position row that it came from', async () => {
    await checkProperty(
      fc.property(someCall, ({ call, upstream }) => {
        const { contextLength, positionStart, firstRow } = call
        const toTable = new Scatter(VOCAB)
        const toPositions = new Scatter(POSITIONS)
        for (const [i, id] of call.ids.entries()) {
          toTable.add(id, upstream[i])
          toPositions.add(positionStart + ((firstRow + i) % contextLength), upstream[i])
        }
        const before = memory().numTensors
        const ids = tensor1d(call.ids, 'int32')
        const dy = tensor2d(upstream)
        const attrs = { contextLength, positionStart, firstRow }
        const forward = (wte: Tensor2D, wpe: Tensor2D) =>
          gatherAndAdd(float32(wte), ids, { ...attrs, positions: float32(wpe) })
        const [dTable, dPositions] = grads(forward as never)(
          [table.tensor, positions.tensor],
          dy,
        ) as Tensor2D[]
        expect(dTable.arraySync()).toEqual(toTable.rows)
        expect(dPositions.arraySync()).toEqual(toPositions.rows)
        for (const tensor of [ids, dy, dTable, dPositions]) tensor.dispose()
        expect(memory().numTensors).toBe(before)
      }),
      200,
    )
  })

  test('goes to the table alone where no positions are added', () => {
    const ids = tensor1d([2, 2, 0], 'int32')
    const dy = tensor2d([[1, 2, 3], [10, 20, 30], [5, 5, 5]]) // biome-ignore format: a matrix
    const [dTable] = grads((wte) => gatherAndAdd(float32(wte), ids))([table.tensor], dy)
    const zero = [0, 0, 0]
    expect(dTable.arraySync()).toEqual([[5, 5, 5], zero, [11, 22, 33], zero, zero, zero, zero])
    for (const tensor of [ids, dy, dTable]) tensor.dispose()
  })
})

test('more rows than one run of the kernel takes go on at the right position', () => {
  const count = 70_001
  const list = Int32Array.from({ length: count }, (_, i) => (i * 5) % VOCAB)
  const ids = engine().makeTensor(list, [count], 'int32') as Tensor1D
  const attrs = { positions, contextLength: 3, positionStart: 1, firstRow: 2 }
  const rows = gatherAndAdd(table, ids, attrs)
  const [wte, wpe, values] = [table.tensor, positions.tensor, rows].map((tensor) => tensor.dataSync())
  const wrong = []
  for (let i = 0; i < count; i++) {
    const position = attrs.positionStart + ((attrs.firstRow + i) % attrs.contextLength)
    for (let c = 0; c < DIM; c++) {
      const sum = Math.fround(wte[list[i] * DIM + c] + wpe[position * DIM + c])
      if (values[i * DIM + c] !== sum) wrong.push([i, c])
    }
  }
  expect(wrong).toEqual([])
  rows.dispose()
  ids.dispose()
})

itLooksUpAnyWidth()
itHasGradientsOfFloat32()
