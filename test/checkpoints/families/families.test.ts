import { expect, test } from 'vitest'
import { FAMILIES } from '../../../src/checkpoints/families/families.js'

test('each model type has one line', () => {
  const types = FAMILIES.map(({ modelType }) => modelType)
  expect(new Set(types).size).toBe(types.length)
})
