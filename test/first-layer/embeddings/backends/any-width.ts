import {
  dispose,
  engine,
  grads,
  memory,
  type Tensor,
  type Tensor1D,
  type Tensor2D,
} from '@tensorflow/tfjs-core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { useWorkspace } from '../../../../src/first-layer/embeddings/backends/cpu.js'
import {
  gatherAndAdd,
  lookUp,
  newNumbers,
  type StoredNumbers,
  type Table,
  tableOver,
} from '../../../../src/first-layer/embeddings/op.js'
import { allocateWorkspace, Workspace } from '../../../../src/first-layer/embeddings/workspace.js'
import { ModelMemory } from '../../../../src/first-layer/kernels/model-memory.js'
import { type FloatDtype, ITEM_BYTES } from '../../../../src/first-layer/tensors/named-tensor.js'
import { checkProperty } from '../../../property.js'
import { gatherAndAddTwin } from '../../../twins/input-embeddings.js'
import { stored, storedFrom, valuesOf } from '../../../twins/stored-numbers.js'

const DTYPES = ['float32', 'float16', 'bfloat16'] as const
const NARROW = ['float16', 'bfloat16'] as const

const ROOM = 1 << 20
/** Numbers after the rows, which no run may change. */
const GUARD = 1000
const modelMemory = ModelMemory.create(1 << 25)
useWorkspace(new Workspace(modelMemory, allocateWorkspace(modelMemory, 64)))
const [tablePlace, positionsPlace, rowsPlace] = [0, 1, 2].map(() => modelMemory.allocate(ROOM)) as [
  number,
  number,
  number,
]

/** A place in the model's memory as numbers of a type, `shift` numbers after the cache line. */
function numbersAt(place: number, dtype: FloatDtype, length: number, shift = 0): StoredNumbers {
  const pointer = place + shift * ITEM_BYTES[dtype]
  return dtype === 'float32' ? modelMemory.float32(pointer, length) : modelMemory.uint16(pointer, length)
}

/** A table in the model's memory. */
function tableAt(place: number, numbers: StoredNumbers, dtype: FloatDtype, dim: number, shift = 0): Table {
  const there = numbersAt(place, dtype, numbers.length, shift)
  there.set(numbers)
  return tableOver(there, dtype, dim)
}

/** A float32 column in the model's memory. */
export function tableInModel(numbers: Float32Array): Table {
  return tableAt(tablePlace, numbers, 'float32', 1)
}

const lookups = fc
  .record({
    dim: fc.integer({ min: 1, max: 40 }),
    vocab: fc.integer({ min: 1, max: 20 }),
    contextLength: fc.integer({ min: 1, max: 9 }),
    windows: fc.integer({ min: 1, max: 4 }),
    isWhole: fc.boolean(),
    positionStart: fc.nat(4),
    firstRow: fc.nat(30),
    tableDtype: fc.constantFrom(...DTYPES),
    positionsDtype: fc.constantFrom(undefined, ...DTYPES),
    dtype: fc.constantFrom(...DTYPES),
    shift: fc.constantFrom(0, 0, 1, 7),
    out: fc.constantFrom('none', 'in the model’s memory', 'elsewhere'),
    positionsAreElsewhere: fc.boolean(),
  })
  .chain((given) => {
    const { dim, vocab, contextLength, windows, isWhole, positionStart } = given
    const rows = windows * contextLength
    const words = (length: number) => fc.array(fc.nat(0xffff_ffff), { minLength: length, maxLength: length })
    return fc.record({
      given: fc.constant(isWhole ? { ...given, firstRow: rows } : given),
      table: words(vocab * dim),
      positions: words((positionStart + contextLength) * dim),
      ids: fc.array(fc.nat(vocab - 1), { minLength: isWhole ? rows : 1, maxLength: rows }),
    })
  })

/** Bits to compare: the payload of a NaN that is computed is the processor's choice. */
function bitsOf(numbers: StoredNumbers, dtype: FloatDtype): (number | 'NaN')[] {
  const values = valuesOf(numbers, dtype)
  const words = numbers instanceof Float32Array ? new Uint32Array(numbers.slice().buffer) : numbers
  return Array.from(words, (word, i) => (Number.isNaN(values[i]) ? 'NaN' : word))
}

/** The numbers of rows that the op gave as a tensor, which is disposed of. */
function rowsOf(rows: Tensor2D, dtype: FloatDtype, dim: number): StoredNumbers {
  expect(rows.shape[1]).toBe(dim)
  expect(rows.dtype).toBe(dtype === 'float32' ? 'float32' : 'int32')
  const numbers = rows.dataSync()
  rows.dispose()
  return dtype === 'float32' ? (numbers as Float32Array) : Uint16Array.from(numbers)
}

/** The op on the backend in use, on tables of every width: the same tests for each backend. */
export function itLooksUpAnyWidth(): void {
  describe('tables and rows of any width', () => {
    it('are widened exactly, added in float32 and rounded once', async () => {
      await checkProperty(
        fc.property(lookups, ({ given, ids: list, ...words }) => {
          const { dim, tableDtype, positionsDtype, dtype, shift } = given
          const [tokens, places] = [
            storedFrom(words.table, tableDtype),
            positionsDtype && storedFrom(words.positions, positionsDtype),
          ]
          const ids = Int32Array.from(list)
          const sums = gatherAndAddTwin({
            ...given,
            ids,
            table: valuesOf(tokens, tableDtype),
            positions: places && valuesOf(places, positionsDtype!),
          })

          const table = tableAt(tablePlace, tokens, tableDtype, dim, shift)
          const positions =
            places &&
            (given.positionsAreElsewhere
              ? tableOver(places, positionsDtype!, dim)
              : tableAt(positionsPlace, places, positionsDtype!, dim, shift))
          const idTensor = engine().makeTensor(ids, [ids.length], 'int32')
          const around = numbersAt(rowsPlace, dtype, sums.length + GUARD, shift).fill(7)
          const out = {
            none: undefined,
            'in the model’s memory': around.subarray(0, sums.length),
            elsewhere: newNumbers(dtype, sums.length),
          }[given.out]
          const added = positions && { ...given, positions }
          const found = out ?? rowsOf(gatherAndAdd(table, idTensor, added, dtype), dtype, dim)
          if (out !== undefined) lookUp(out, table, ids, added, dtype)
          dispose([table.tensor, idTensor, ...(positions ? [positions.tensor] : [])])
          const expected = bitsOf(stored(sums, dtype), dtype)
          const bits = bitsOf(found, dtype)
          if (bits.join() !== expected.join()) expect(bits).toEqual(expected)
          expect([...around.subarray(sums.length)]).toEqual(Array(GUARD).fill(7))
        }),
        200,
      )
    })

    it.each(DTYPES)(
      'are copied where they are asked for as they are: %s, of which NaN keeps its bits',
      (dtype) => {
        const words = Array.from({ length: 1 << 14 }, (_, i) => Math.imul(i, 0x0004_0001) >>> 0)
        const numbers = storedFrom(words, dtype)
        const table = tableAt(tablePlace, numbers, dtype, 64)
        const out = numbersAt(rowsPlace, dtype, numbers.length)
        lookUp(
          out,
          table,
          Int32Array.from({ length: 256 }, (_, i) => i),
          undefined,
          dtype,
        )
        table.tensor.dispose()
        expect(Buffer.from(modelMemory.bytes(out.byteOffset, out.byteLength))).toEqual(
          Buffer.from(numbers.buffer),
        )
      },
    )

    it('may be more in one run than the scratch space holds', () => {
      const count = 70_000
      const ids = Int32Array.from({ length: count }, (_, i) => (i * 7) % 10)
      for (const tableDtype of DTYPES) {
        const tokens = stored(Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), tableDtype)
        const table = tableAt(tablePlace, tokens, tableDtype, 1)
        const positions = tableAt(
          positionsPlace,
          stored(Float32Array.of(16, 32, 64), tableDtype),
          tableDtype,
          1,
        )
        const added = { positions, positionStart: 0, contextLength: 3, firstRow: 0 }
        const sums = stored(
          Float32Array.from(ids, (id, i) => id + 2 ** (4 + (i % 3))),
          'bfloat16',
        )
        for (const out of [numbersAt(rowsPlace, 'bfloat16', count), newNumbers('bfloat16', count)]) {
          lookUp(out, table, ids, added, 'bfloat16')
          expect(Buffer.from(out).equals(Buffer.from(sums))).toBe(true)
        }
        dispose([table.tensor, positions.tensor])
      }
    })

    it.each(NARROW)('may be copied from a table of %s that lies elsewhere', (dtype) => {
      const table = tableOver(stored(Float32Array.of(1, 2, 3, 4, 5, 6), dtype), dtype, 2)
      const out = numbersAt(rowsPlace, dtype, 4)
      lookUp(out, table, Int32Array.of(2, 0), undefined, dtype)
      expect([...valuesOf(out, dtype)]).toEqual([5, 6, 1, 2])
      table.tensor.dispose()
    })

    it('keep subnormal numbers of bfloat16', () => {
      const least = Float32Array.of(-(2 ** -127))
      const table = tableAt(tablePlace, stored(least, 'bfloat16'), 'bfloat16', 1)
      const positions = tableAt(positionsPlace, stored(least, 'bfloat16'), 'bfloat16', 1)
      const sum = new Float32Array(1)
      lookUp(sum, table, Int32Array.of(0), { positions, positionStart: 0, contextLength: 1, firstRow: 0 })
      expect(sum[0]).toBe(-(2 ** -126))
      dispose([table.tensor, positions.tensor])
    })

    it('leave no tensor behind', () => {
      const before = memory().numTensors
      for (const tableDtype of DTYPES) {
        for (const dtype of DTYPES) {
          const table = tableAt(tablePlace, newNumbers(tableDtype, 12), tableDtype, 3)
          lookUp(newNumbers(dtype, 6), table, Int32Array.of(3, 0), undefined, dtype)
          table.tensor.dispose()
        }
      }
      expect(memory().numTensors).toBe(before)
    })
  })
}

/** TensorFlow's memory for a table, on backend `tensorflow`. */
export function itLetsGoOfWords(): void {
  const held = () => (engine().backend as unknown as { binding: AddonCount }).binding.getNumOfTensors()
  interface AddonCount {
    getNumOfTensors(): number
  }

  it.each(DTYPES)(
    'keeps nothing of a table of %s between two lookups, and refuses an id beyond one of float32',
    (dtype) => {
      const table = tableAt(tablePlace, newNumbers(dtype, 12), dtype, 3)
      const positions = tableAt(positionsPlace, newNumbers(dtype, 12), dtype, 3)
      const added = { positions, positionStart: 1, contextLength: 2, firstRow: 1 }
      const lookUpAll = () => {
        for (const rowDtype of DTYPES) {
          lookUp(newNumbers(rowDtype, 9), table, Int32Array.of(3, 0, 1), undefined, rowDtype)
          lookUp(newNumbers(rowDtype, 9), table, Int32Array.of(3, 0, 1), added, rowDtype)
        }
      }
      lookUpAll() // what TensorFlow makes once stays
      const before = held()
      lookUpAll()
      expect(held()).toBe(before)
      const beyond = () => lookUp(new Float32Array(3), table, Int32Array.of(4))
      if (dtype === 'float32') expect(beyond).toThrow(/4 is not in/)
      lookUp(new Float32Array(3), table, Int32Array.of(3))
      dispose([table.tensor, positions.tensor])
    },
  )

  it.each(DTYPES)('reads a table of %s in place: a later write is seen', (dtype) => {
    const table = tableAt(tablePlace, newNumbers(dtype, 12), dtype, 3)
    const rows = new Float32Array(3)
    lookUp(rows, table, Int32Array.of(1))
    expect([...rows]).toEqual([0, 0, 0])
    numbersAt(tablePlace, dtype, 12).set(stored(Float32Array.of(1, -2, 0.5), dtype), 3)
    lookUp(rows, table, Int32Array.of(1))
    expect([...rows]).toEqual([1, -2, 0.5])
    table.tensor.dispose()
  })
}

/** Gradients of the op if some of its tensors have 16 bits. */
export function itHasGradientsOfFloat32(): void {
  describe('the gradient beside 16 bits', () => {
    const upstream = () => engine().makeTensor(Float32Array.of(1, 2, 3, 4), [2, 2], 'float32')
    const float32 = (tensor: Tensor): Table => ({ tensor: tensor as Tensor2D, dtype: 'float32' })
    const attrs = { positionStart: 0, contextLength: 2, firstRow: 0 }

    it.each(NARROW)('goes to float32 positions of a table of %s', (dtype) => {
      const table = tableAt(tablePlace, newNumbers(dtype, 6), dtype, 2)
      const positions = tableAt(positionsPlace, new Float32Array(4), 'float32', 2)
      const ids = engine().makeTensor(Int32Array.of(2, 0), [2], 'int32') as Tensor1D
      const dy = upstream()
      const forward = (p: Tensor) => gatherAndAdd(table, ids, { ...attrs, positions: float32(p) })
      const [toPositions] = grads(forward)([positions.tensor], dy)
      expect([...toPositions.dataSync()]).toEqual([1, 2, 3, 4])
      dispose([table.tensor, positions.tensor, ids, dy, toPositions])
    })

    it.each(NARROW)('is refused for a table of %s, for positions of it, and for rows of it', (dtype) => {
      const narrow = tableAt(tablePlace, newNumbers(dtype, 6), dtype, 2)
      const wide = tableAt(positionsPlace, new Float32Array(6), 'float32', 2)
      const ids = engine().makeTensor(Int32Array.of(2, 0), [2], 'int32') as Tensor1D
      const dy = upstream()
      const as = (tensor: Tensor): Table => ({ tensor: tensor as Tensor2D, dtype })
      const refusals = [
        () => grads((w) => gatherAndAdd(as(w), ids))([narrow.tensor], dy),
        () => grads((p) => gatherAndAdd(wide, ids, { ...attrs, positions: as(p) }))([narrow.tensor], dy),
        () => grads((w) => gatherAndAdd(float32(w), ids, undefined, dtype))([wide.tensor], dy),
      ]
      for (const [i, what] of ['a table', 'a table of positions', 'rows'].entries()) {
        expect(refusals[i]).toThrow(
          `The gradient of InputEmbeddings is that of float32. Given: ${what} of ${dtype}`,
        )
      }
      dispose([narrow.tensor, wide.tensor, ids, dy])
    })
  })
}
