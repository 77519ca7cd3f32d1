import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { allocateTables } from '../../../../src/first-layer/embeddings/table-memory.js'
import { loaded } from '../../../../src/models/entry.js'
import { cardOf } from '../cards.js'
import { modelsOf } from './models-of.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('a model that is leased is reported at most once a second', async () => {
  const told: string[] = []
  const noteUse = async (id: string) => void told.push(id)
  const models = modelsOf(async () => ({ name: '', dispose() {} }), { admin: { noteUse } })
  const tables = allocateTables([{ name: 'wte.weight', shape: [2, 2], dtype: 'float32' }], 2, 1)
  for (const id of ['a', 'b']) {
    await models.put(loaded({ card: cardOf(id), origin: 'folder', lastVersion: 0 }, tables))
  }
  const use = async (id: string) => (await models.present(id))?.release()
  await use('a')
  await use('a')
  expect(told).toEqual(['a'])
  await use('b')
  vi.advanceTimersByTime(999)
  await use('a')
  expect(told).toEqual(['a', 'b'])
  vi.advanceTimersByTime(1)
  await use('a')
  expect(told).toEqual(['a', 'b', 'a'])
})
