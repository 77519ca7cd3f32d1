import { expect, test } from 'vitest'
import { truncated } from '../../../src/first-layer/windows/truncation.js'
import { documentsOf, range } from './documents.js'

const CLS = 101
const SEP = 102
const SPECIAL = [CLS, SEP]

/** The documents' ids after the cut; `characters` as if the ids came from texts. */
function cut(lists: readonly (readonly number[])[], length: number, keepsSpecialEnd = false): number[][] {
  const given = documentsOf(lists)
  given.ids.characters = given.totalTokens
  const documents = truncated(given, { length, keepsSpecialEnd }, SPECIAL)
  expect(documents.totalTokens).toBe(lists.reduce((sum, _, d) => sum + documents.length(d), 0))
  return lists.map((_, d) => {
    const ids = new Int32Array(documents.length(d))
    documents.copyTo(ids, 0, d, 0, ids.length)
    return [...ids]
  })
}

test.each([
  ['the first tokens of each document stay', [[1, 2, 3, 4], [5], [6, 7, 8]], 2, false, [[1, 2], [5], [6, 7]]],
  ['documents that are no longer stay', [[1, 2], [3]], 2, true, [[1, 2], [3]]],
  ['the special end stays, as [SEP]', [[CLS, 1, 2, 3, SEP]], 3, true, [[CLS, 1, SEP]]],
  ['without add_special_tokens the end is cut like any token', [[CLS, 1, 2, SEP]], 3, false, [[CLS, 1, 2]]],
  ['no more than the length stays, all special', [[CLS, SEP, SEP, SEP]], 2, true, [[SEP, SEP]]],
])('truncation: %s', (_, lists, length, keeps, expected) => {
  expect(cut(lists, length, keeps)).toEqual(expected)
})

test('truncation: a document of several blocks keeps its first ids and its end', () => {
  const ids = [...range(100).map(() => 7), ...range(200_000).map((i) => 1000 + i), SEP]
  const [kept] = cut([ids], 150_001, true)
  expect(kept).toEqual([...ids.slice(0, 150_000), SEP])
})
