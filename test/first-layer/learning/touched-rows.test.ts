import { expect, test } from 'vitest'
import { TouchedRows } from '../../../src/first-layer/learning/row-sums.js'

test('rows keep their numbers, addresses and squares however many come after them', () => {
  const came = new TouchedRows()
  for (let i = 0; i < 1000; i++) {
    expect(came.add(3 * i, 16 * i)).toBe(i + 1)
    expect(came.squares[i]).toBeNaN()
    came.squares[i] = i / 2
  }
  for (let i = 0; i < 1000; i++) {
    expect([came.rows[i], came.pointers[i], came.squares[i]]).toEqual([3 * i, 16 * i, i / 2])
  }
})

test('a row that comes after others have gone has no squares of theirs', () => {
  const came = new TouchedRows()
  came.add(1, 16)
  came.squares[0] = 5
  came.count = 0
  came.add(2, 32)
  expect(came.squares[0]).toBeNaN()
})
