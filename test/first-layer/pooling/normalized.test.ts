import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalize } from '../../../src/first-layer/pooling/pool.js'
import { checkProperty } from '../../property.js'

const FLAVOURS = ['model2vec', 'sentence_transformers'] as const
const numbers = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 })

test.each(FLAVOURS)('%s: a row keeps its direction and gets the length 1', async (flavour) => {
  const rows = fc.array(numbers, { minLength: 1, maxLength: 400 })
  const unit = fc.property(rows, (given) => {
    fc.pre(given.some((x) => Math.abs(x) > 1e-3))
    const row = Float32Array.from(given)
    normalize(row, { flavour, dtype: 'float32', normalize: true, maxLength: null })
    const length = Math.hypot(...given.map(Math.fround))
    for (const [c, x] of row.entries()) expect(x).toBeCloseTo(given[c] / length, 5)
  })
  await checkProperty(unit, 300)
})

test.each(FLAVOURS)('%s: zeros stay zeros, in every type', (flavour) => {
  for (const dtype of ['float32', 'float16', 'bfloat16'] as const) {
    const row = new Float32Array(3)
    normalize(row, { flavour, dtype, normalize: true, maxLength: null })
    expect([...row]).toEqual([0, 0, 0])
  }
})

test('sentence-transformers keeps rows below its least length short', () => {
  const row = Float32Array.of(1e-13, 0)
  normalize(row, { flavour: 'sentence_transformers', dtype: 'float32', normalize: true, maxLength: null })
  expect(row[0]).toBeCloseTo(0.1, 6)
})
