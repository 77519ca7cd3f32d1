import { describe, expect, test } from 'vitest'
import { drawnTables } from '../../../../src/first-layer/embeddings/positions/drawn-tables.js'
import { derived, madeAtOnce, numbers } from '../../../../src/first-layer/embeddings/positions/scheme.js'

describe('numbers', () => {
  test('are computed at their first use', () => {
    const few = numbers(3, (i) => 2 * i)
    expect(few.drawn).toBeUndefined()
    expect([...few()]).toEqual([0, 2, 4])
    expect(few()).toBe(few())
  })
})

describe('a value made from a prepared one', () => {
  test('needs the tables that that one needs', () => {
    const from = drawnTables(1, [2 ** 15])
    const first = derived(from, ([table]) => table[0])
    expect(first.drawn).toBe(from.drawn)
    expect(first()).toBe(from()[0][0])
  })

  test('needs none if that one needs none', () => {
    const twice = derived(
      madeAtOnce(() => 21),
      (value) => 2 * value,
    )
    expect(twice.drawn).toBeUndefined()
    expect(twice()).toBe(42)
  })
})
