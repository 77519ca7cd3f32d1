import { readFileSync } from 'node:fs'
import {
  add,
  dispose,
  engine,
  getBackend,
  grads,
  setBackend,
  type Tensor,
  type Tensor1D,
  type Tensor2D,
} from '@tensorflow/tfjs-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type SelectedBackend,
  selectBackend,
} from '../../../../src/first-layer/embeddings/backends/select.js'
import { gatherAndAdd, lookUp, type Table, tableOver } from '../../../../src/first-layer/embeddings/op.js'
import { itHasGradientsOfFloat32, itLetsGoOfWords, itLooksUpAnyWidth, tableInModel } from './any-width.js'
import { tensorflowHere } from './tensorflow-here.js'

const float32 = (tensor: Tensor): Table => ({ tensor: tensor as Tensor2D, dtype: 'float32' })

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

  it.each([
    ['a subnormal element', 1e-40, 0],
    ['the difference of normal ones', 2e-38, -1.9e-38],
    ['the least difference of larger ones, 2^-127', 2 ** -104 * (1 + 2 ** -23), -(2 ** -104)],
  ])('keeps subnormal sums, which TensorFlow itself makes 0: %s', (_, token, position) => {
    const table = Float32Array.of(token)
    const positions = Float32Array.of(position)
    const tensors = [table, positions].map((values) => engine().makeTensor(values, [1], 'float32'))
    expect([...add(tensors[0], tensors[1]).dataSync()]).toEqual([0])
    const [tokens, added] = [tableInModel(table), tableOver(positions, 'float32', 1)]
    const place = { positions: added, positionStart: 0, contextLength: 1, firstRow: 0 }
    const sums = new Float32Array(1)
    lookUp(sums, tokens, Int32Array.of(0), place)
    const [sum] = sums
    expect(sum).toBe(Math.fround(table[0] + positions[0]))
    expect(sum).toBeGreaterThan(0)
    dispose([...tensors, tokens.tensor, added.tensor])
  })

  itLooksUpAnyWidth()
  itHasGradientsOfFloat32()
  itLetsGoOfWords()

  it('gives each table row the sum of its upstream gradients', () => {
    const table = engine().makeTensor(Float32Array.of(1, 2, 3, 4, 5, 6), [3, 2], 'float32')
    const positions = engine().makeTensor(Float32Array.of(10, 20, 30, 40), [2, 2], 'float32')
    const ids = engine().makeTensor(Int32Array.of(2, 0, 2, 2), [4], 'int32') as Tensor1D
    const gradient = grads((w, p) =>
      gatherAndAdd(float32(w), ids, {
        ...{ positions: float32(p), positionStart: 0, contextLength: 2, firstRow: 0 },
      }),
    )
    const upstream = engine().makeTensor(Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8), [4, 2], 'float32')
    const [table0, positions0] = gradient([table, positions], upstream)
    expect([...table0.dataSync()]).toEqual([3, 4, 0, 0, 13, 16])
    expect([...positions0.dataSync()]).toEqual([6, 8, 10, 12])
    dispose([table, positions, ids, upstream, table0, positions0])
  })
})
