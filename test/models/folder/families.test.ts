import { expect, test } from 'vitest'
import { checkpointArchitectures } from '../../../src/embeddings/architectures/checkpoints.js'
import { architectureNames } from '../../../src/embeddings/architectures/registry.js'
import { FAMILIES } from '../../../src/models/folder/families.js'
import { STATIC_EMBEDDING } from '../../../src/models/folder/static-card.js'
import { MODEL2VEC } from '../../../src/models/folder/static-layout.js'

test('requests may name every model type, and no other', () => {
  const types = [...FAMILIES.map(({ modelType }) => modelType), MODEL2VEC, STATIC_EMBEDDING]
  expect(new Set(types).size).toBe(types.length)
  expect([...new Set([...checkpointArchitectures, ...architectureNames])].sort()).toEqual(
    [...new Set([...types, ...architectureNames])].sort(),
  )
})
