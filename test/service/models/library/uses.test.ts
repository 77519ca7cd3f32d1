import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { allocateTables } from '../../../../src/first-layer/embeddings/table-memory.js'
import { loaded } from '../../../../src/service/models/entry.js'
import { Library, reportUses } from '../../../../src/service/models/library/library.js'
import { cardOf } from '../cards.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('reportUses reports each second the models used since, and nothing if there are none', async () => {
  const library = new Library(async () => ({ dispose() {} }))
  const tables = allocateTables([{ name: 'wte.weight', shape: [2, 2], dtype: 'float32' }], 2, 1)
  for (const id of ['a', 'b', 'c']) {
    await library.put(loaded({ card: cardOf(id), origin: 'folder', lastVersion: 0 }, tables))
  }
  const use = async (id: string) => (await library.lease(id))?.release()
  const told: (readonly string[])[] = []
  const end = reportUses(library, (models) => void told.push(models))
  await use('a')
  await use('a')
  vi.advanceTimersByTime(3000)
  expect(told).toEqual([['a']])
  await use('b')
  await use('a')
  vi.advanceTimersByTime(1000)
  expect(told).toEqual([['a'], ['a', 'b']])
  end()
  await use('c')
  vi.advanceTimersByTime(5000)
  expect(told).toHaveLength(2)
})
