import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { allocateTables } from '../../../../src/first-layer/embeddings/table-memory.js'
import { loaded } from '../../../../src/models/entry.js'
import { Library } from '../../../../src/service/models/library/library.js'
import { cardOf } from '../cards.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('a model that is leased is reported at most once a second', async () => {
  const library = new Library(async () => ({ dispose() {} }))
  const tables = allocateTables([{ name: 'wte.weight', shape: [2, 2], dtype: 'float32' }], 2, 1)
  for (const id of ['a', 'b']) {
    await library.put(loaded({ card: cardOf(id), origin: 'folder', lastVersion: 0 }, tables))
  }
  const use = async (id: string) => (await library.present(id))?.release()
  const told: string[] = []
  library.onUse((id) => void told.push(id))
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
