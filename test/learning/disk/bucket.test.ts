import { expect, test } from 'vitest'
import { openJournals, storedModels } from '../../../src/learning/disk/open-journals.js'

test('with a bucket as DATA_DIR what is learned is in memory', () => {
  const variables = {
    DATA_DIR: 's3://bucket/data',
    DATA_QUOTA_BYTES: 2 ** 30,
    LEARNING_SYNC: 'always',
  } as const
  expect(openJournals(variables)).toBeUndefined()
  expect(storedModels(variables, { removed() {} })).toEqual([])
})
