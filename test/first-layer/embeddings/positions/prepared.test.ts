import { expect, test } from 'vitest'
import { learnedTables } from '../../../../src/first-layer/embeddings/positions/drawn-tables.js'
import { requestOf } from './compute.js'

test('many numbers are drawn for all tables together, unless the model has learned them', () => {
  const request = requestOf({ positionEmbedding: 'none', length: 1 })
  const shapes = { keys: [2 ** 14, 2], values: [2 ** 14, 2] }
  const { keys, values } = learnedTables(shapes, 1, request)
  expect(keys!.drawn).toBe(values!.drawn)
  expect(values!()).toBe(keys!.drawn!.tables[1])
  const own = new Float32Array(1)
  const learned = learnedTables(shapes, 1, { ...request, learned: () => own })
  expect([learned.keys!(), learned.keys!.drawn]).toEqual([own, undefined])
})
