import { expect, test } from 'vitest'
import { documentsOf, range } from './documents.js'

test('documents lie one behind the other, each with its length', () => {
  const documents = documentsOf([[1, 2, 3], [4], [], [5, 6]])
  expect([documents.count, documents.totalTokens, documents.longest]).toEqual([4, 6, 3])
  expect(range(4).map((d) => documents.length(d))).toEqual([3, 1, 0, 2])
  expect(range(5).map((d) => documents.start(d))).toEqual([0, 3, 4, 4, 6])
  const out = new Int32Array(3).fill(-1)
  documents.copyTo(out, 1, 3, 0, 2)
  expect([...out]).toEqual([-1, 5, 6])
})

test('the document of an id is found by its place', () => {
  const documents = documentsOf([[1, 2, 3], [4], [5, 6]])
  expect(range(6).map((place) => documents.documentAt(place))).toEqual([0, 0, 0, 1, 2, 2])
})
