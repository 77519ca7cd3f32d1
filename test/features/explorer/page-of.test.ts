import { expect, it } from 'vitest'
import { pageOf } from '../../../src/features/explorer/page/numbers.js'

it('turns the pages of a table, the last one shorter, and stays within a table that has shrunk', () => {
  expect(pageOf(0, 32, 20)).toHaveLength(20)
  expect(pageOf(32, 32, 40)).toEqual([32, 33, 34, 35, 36, 37, 38, 39])
  expect(pageOf(64, 32, 40)[0]).toBe(32)
  expect(pageOf(64, 32, 64)[0]).toBe(32)
  expect(pageOf(32, 32, 6)).toEqual([0, 1, 2, 3, 4, 5])
})
