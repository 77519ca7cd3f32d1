import { expect, test } from 'vitest'
import { FAMILIES } from '../../../src/checkpoints/families/families.js'
import { STATIC_EMBEDDING } from '../../../src/checkpoints/static/card.js'
import { MODEL2VEC } from '../../../src/checkpoints/static/layout.js'
import {
  architectureNames,
  checkpointArchitectures,
} from '../../../src/first-layer/embeddings/architectures/registry.js'

test('requests may name every model type, and no other', () => {
  const types = [...FAMILIES.map(({ modelType }) => modelType), MODEL2VEC, STATIC_EMBEDDING]
  expect(new Set(types).size).toBe(types.length)
  expect([...new Set([...checkpointArchitectures, ...architectureNames])].sort()).toEqual(
    [...new Set([...types, ...architectureNames])].sort(),
  )
})
