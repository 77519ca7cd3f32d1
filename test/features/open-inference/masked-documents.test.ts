import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { masked } from '../../../src/features/open-inference/inputs.js'
import { IdLists } from '../../../src/first-layer/windows/id-lists.js'
import { UNBOUNDED } from '../../counting-claim.js'
import { checkProperty } from '../../property.js'

function listsOf(rows: readonly (readonly number[])[]): IdLists {
  const lists = new IdLists(true)
  for (const row of rows) lists.add(row)
  return lists
}

function rowsOf({ documents }: IdLists): number[][] {
  const ids = [...documents.ids]
  return Array.from({ length: documents.count }, (_, d) =>
    ids.slice(documents.start(d), documents.start(d + 1)),
  )
}

describe('a mask', () => {
  test('keeps the first ids of each row', () => {
    const row = fc
      .integer({ min: 1, max: 30_000 })
      .chain((length) =>
        fc.record({ length: fc.constant(length), kept: fc.integer({ min: 1, max: length }) }),
      )
    const property = fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 4 }), async (rows) => {
      const ids = rows.map(({ length }, d) => Array.from({ length }, (_, i) => 100_000 * d + i))
      const mask = rows.map(({ length, kept }) => Array.from({ length }, (_, i) => Number(i < kept)))
      const kept = await masked(listsOf(ids), listsOf(mask), UNBOUNDED)
      expect(rowsOf(kept)).toEqual(ids.map((each, d) => each.slice(0, rows[d].kept)))
    })
    return checkProperty(property, 30)
  })

  test.each([
    [
      [
        [1, 0],
        [1, 0, 1],
      ],
      '`attention_mask.1.2` must be 0 or 1, ones before zeros. Given: 1',
    ],
    [[[1, 3]], '`attention_mask.0.1` must be 0 or 1, ones before zeros. Given: 3'],
    [[[1], [0, 0]], '`attention_mask.1` must keep an id. Given: zeros only'],
  ])('%j is refused', async (mask, message) => {
    const lists = listsOf(mask)
    await expect(masked(lists, lists, UNBOUNDED)).rejects.toThrow(message)
  })
})
