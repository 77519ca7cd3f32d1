import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Library } from '../../src/models/library.js'
import { tellUses } from '../../src/models/uses.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a thread tells each second which models it has used, and nothing where it has used none', () => {
  const library = new Library(async () => ({ dispose() {} }))
  const used = [['a'], [], ['b', 'a']]
  library.takeUsed = () => used.shift() ?? []
  const told: unknown[] = []
  const end = tellUses(library, (models) => void told.push(models))
  vi.advanceTimersByTime(5000)
  expect(told).toEqual([['a'], ['b', 'a']])
  used.push(['c'])
  end()
  vi.advanceTimersByTime(5000)
  expect(told).toHaveLength(2)
})
