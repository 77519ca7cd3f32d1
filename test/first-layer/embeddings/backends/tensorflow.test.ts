import { readFileSync } from 'node:fs'
import {
  add,
  dispose,
  engine,
  getBackend,
  grads,
  memory,
  setBackend,
  type Tensor,
  type Tensor1D,
  type Tensor2D,
} from '@tensorflow/tfjs-core'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { useWorkspace } from '../../../../src/first-layer/embeddings/backends/cpu.js'
import {
  type SelectedBackend,
  selectBackend,
} from '../../../../src/first-layer/embeddings/backends/select.js'
import {
  gatherAndAdd,
  lookUp as lookUpInto,
  type Table,
  tableOver,
} from '../../../../src/first-layer/embeddings/op.js'
import { allocateWorkspace, Workspace } from '../../../../src/first-layer/embeddings/workspace.js'
import { ModelMemory } from '../../../../src/first-layer/kernels/model-memory.js'
import { gatherAndAddTwin, type Lookup } from '../../../twins/input-embeddings.js'
import { itHasGradientsOfFloat32, itLetsGoOfWords, itLooksUpAnyWidth } from './any-width.js'
import { tensorflowHere } from './tensorflow-here.js'

const bits = (values: Float32Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength)

/** A model's memory, in which tables and rows begin at multiples of 64 bytes. */
const modelMemory = ModelMemory.create(1 << 25)
useWorkspace(new Workspace(modelMemory, allocateWorkspace(modelMemory, 33)))
const tablePlace = modelMemory.allocate(1 << 20)
const rowsPlace = modelMemory.allocate(1 << 20)

function lookUp(lookup: Lookup, out?: Float32Array): Float32Array {
  const { dim, positionStart, contextLength, firstRow } = lookup
  const matrix = (values: Float32Array) => tableOver(values, 'float32', dim)
  const table = matrix(lookup.table)
  const positions = lookup.positions && matrix(lookup.positions)
  const ids = engine().makeTensor(lookup.ids, [lookup.ids.length], 'int32')
  try {
    if (out !== undefined) {
      const added = positions && { positions, positionStart, contextLength, firstRow }
      lookUpInto(out, table, lookup.ids, added)
      return out
    }
    const rows = gatherAndAdd({ table, ids, positions }, { positionStart, contextLength, firstRow })
    expect(rows.shape).toEqual([lookup.ids.length, dim])
    const numbers = rows.dataSync<'float32'>()
    rows.dispose()
    return numbers
  } finally {
    dispose([table.tensor, ids, ...(positions ? [positions.tensor] : [])])
  }
}

const float32 = (tensor: Tensor): Table => ({ tensor: tensor as Tensor2D, dtype: 'float32' })

/** Lookups over tables of ordinary values, or of every bit pattern. */
const lookupsOver = (values: (words: number[]) => Float32Array): fc.Arbitrary<Lookup> =>
  fc
    .record({
      vocab: fc.integer({ min: 1, max: 50 }),
      dim: fc.integer({ min: 1, max: 33 }),
      contextLength: fc.integer({ min: 1, max: 12 }),
      windows: fc.integer({ min: 1, max: 5 }),
      whole: fc.boolean(),
      withPositions: fc.boolean(),
      positionStart: fc.nat(5),
    })
    .chain(({ vocab, dim, contextLength, windows, whole, withPositions, positionStart }) => {
      const rows = windows * contextLength
      const positionRows = withPositions ? (positionStart + contextLength) * dim : 0
      const floats = (length: number) =>
        fc
          .array(fc.integer({ min: 0, max: 0xffff_ffff }), { minLength: length, maxLength: length })
          .map(values)
      return fc.record({
        dim: fc.constant(dim),
        table: floats(vocab * dim),
        positions: withPositions ? floats(positionRows) : fc.constant(undefined),
        ids: fc
          .array(fc.nat(vocab - 1), { minLength: whole ? rows : 1, maxLength: rows })
          .map((ids) => Int32Array.from(ids)),
        positionStart: fc.constant(positionStart),
        contextLength: fc.constant(contextLength),
        firstRow: whole ? fc.constant(rows) : fc.nat(3 * contextLength),
      })
    })

/** Multiples of 2^-40, below 2^-9. */
const ordinary = (words: number[]) => Float32Array.from(words, (word) => (word - 2 ** 31) * 2 ** -40)

/** Subnormal ones too; not NaN, since the payload of a sum is the processor's choice. */
const everyPattern = (words: number[]) =>
  new Float32Array(Uint32Array.from(words).buffer).map((value) => (Number.isFinite(value) ? value : Math.PI))

const ordinaryLookups = lookupsOver(ordinary)
const lookups = fc.oneof(ordinaryLookups, lookupsOver(everyPattern))

describe.skipIf(!tensorflowHere())('backend tensorflow', () => {
  let selected: SelectedBackend

  beforeAll(async () => {
    selected = await selectBackend('tensorflow')
  })

  afterEach(async () => {
    await setBackend('tensorflow')
  })

  it('is the backend in use, on the library that is mapped into this process', () => {
    expect(getBackend()).toBe('tensorflow')
    expect(selected.name).toBe('tensorflow')
    expect(selected.version).toMatch(/^2\.\d+\.\d+$/)
    expect(readFileSync('/proc/self/maps', 'utf8')).toMatch(/\/tfjs-node\/deps\/lib\/libtensorflow/)
  })

  it('gives the bits of one float32 addition, on any table, window and block', () => {
    fc.assert(
      fc.property(lookups, (lookup) => {
        expect(bits(lookUp(lookup)).equals(bits(gatherAndAddTwin(lookup)))).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('writes the same bits straight into aligned memory', () => {
    fc.assert(
      fc.property(ordinaryLookups, (lookup) => {
        const out = modelMemory.float32(rowsPlace, lookup.ids.length * lookup.dim)
        const rows = lookUp(lookup, out)
        expect(rows.buffer).toBe(out.buffer)
        expect(bits(out).equals(bits(gatherAndAddTwin(lookup)))).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('gives the same bits if the memory is not aligned', () => {
    fc.assert(
      fc.property(lookups, fc.integer({ min: 1, max: 15 }), (lookup, shift) => {
        const out = modelMemory.float32(rowsPlace + 4 * shift, lookup.ids.length * lookup.dim)
        expect(bits(lookUp(lookup, out)).equals(bits(gatherAndAddTwin(lookup)))).toBe(true)
      }),
    )
  })

  it('agrees with the cpu backend', async () => {
    await fc.assert(
      fc.asyncProperty(lookups, async (lookup) => {
        await setBackend('tensorflow')
        const here = Buffer.from(bits(lookUp(lookup)))
        await setBackend('cpu')
        const table = modelMemory.float32(tablePlace, lookup.table.length)
        table.set(lookup.table)
        expect(bits(lookUp({ ...lookup, table })).equals(here)).toBe(true)
      }),
    )
  })

  it('reads a table in place: a later write is seen', () => {
    const inPlace = modelMemory.float32(tablePlace, 8)
    inPlace.set([0, 1, 2, 3, 4, 5, 6, 7])
    const table = tableOver(inPlace, 'float32', 2)
    const ids = engine().makeTensor(Int32Array.of(3), [1], 'int32')
    const look = () => {
      const rows = gatherAndAdd({ table, ids }, { positionStart: 0, contextLength: 1, firstRow: 0 })
      const read = [...rows.dataSync()]
      rows.dispose()
      return read
    }
    expect(look()).toEqual([6, 7])
    inPlace[6] = -1
    expect(look()).toEqual([-1, 7])
    dispose([table.tensor, ids])
  })

  it.each([
    ['a subnormal element', 1e-40, 0],
    ['the difference of normal ones', 2e-38, -1.9e-38],
    ['the least difference of larger ones, 2^-127', 2 ** -104 * (1 + 2 ** -23), -(2 ** -104)],
  ])('keeps subnormal sums, which TensorFlow itself makes 0: %s', (_, token, position) => {
    const table = Float32Array.of(token)
    const positions = Float32Array.of(position)
    const tensors = [table, positions].map((values) => engine().makeTensor(values, [1], 'float32'))
    expect([...add(tensors[0], tensors[1]).dataSync()]).toEqual([0])
    const place = { dim: 1, ids: Int32Array.of(0), positionStart: 0, contextLength: 1, firstRow: 0 }
    const [sum] = lookUp({ ...place, table, positions })
    expect(sum).toBe(Math.fround(table[0] + positions[0]))
    expect(sum).toBeGreaterThan(0)
  })

  itLooksUpAnyWidth()
  itHasGradientsOfFloat32()
  itLetsGoOfWords()

  it('leaves no tensor behind, in TensorFlow.js or in TensorFlow', () => {
    const { binding } = engine().backend as unknown as { binding: { getNumOfTensors(): number } }
    const before = [memory().numTensors, memory().numDataBuffers, binding.getNumOfTensors()]
    for (const lookup of fc.sample(lookups, 50)) {
      lookUp(lookup)
      lookUp(lookup, modelMemory.float32(rowsPlace, lookup.ids.length * lookup.dim))
    }
    expect([memory().numTensors, memory().numDataBuffers, binding.getNumOfTensors()]).toEqual(before)
  })

  it('refuses an id beyond the table, and serves the next call', () => {
    const lookup = { dim: 1, table: Float32Array.of(1, 2), positionStart: 0, contextLength: 1, firstRow: 0 }
    const before = memory().numTensors
    expect(() => lookUp({ ...lookup, ids: Int32Array.of(2) })).toThrow(/2 is not in \[0, 2\)/)
    expect(memory().numTensors).toBeLessThanOrEqual(before + 2)
    expect([...lookUp({ ...lookup, ids: Int32Array.of(1) })]).toEqual([2])
  })

  it('gives each table row the sum of its upstream gradients', () => {
    const table = engine().makeTensor(Float32Array.of(1, 2, 3, 4, 5, 6), [3, 2], 'float32')
    const positions = engine().makeTensor(Float32Array.of(10, 20, 30, 40), [2, 2], 'float32')
    const ids = engine().makeTensor(Int32Array.of(2, 0, 2, 2), [4], 'int32') as Tensor1D
    const gradient = grads((w, p) =>
      gatherAndAdd(
        { table: float32(w), ids, positions: float32(p) },
        { positionStart: 0, contextLength: 2, firstRow: 0 },
      ),
    )
    const upstream = engine().makeTensor(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8), [4, 2], 'float32')
    const [table0, positions0] = gradient([table, positions], upstream)
    expect([...table0.dataSync()]).toEqual([3, 4, 0, 0, 13, 16])
    expect([...positions0.dataSync()]).toEqual([6, 8, 10, 12])
    dispose([table, positions, ids, upstream, table0, positions0])
  })
})
