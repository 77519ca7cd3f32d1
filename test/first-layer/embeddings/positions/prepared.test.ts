import { describe, expect, test } from 'vitest'
import {
  derived,
  madeAtOnce,
  madeInSteps,
  numbers,
} from '../../../../src/first-layer/embeddings/positions/prepared.js'
import { PAUSE, run } from '../../../../src/first-layer/steps.js'

describe('numbers', () => {
  test('are computed at their first use', () => {
    const few = numbers(3, (i) => 2 * i)
    expect(few.prepare).toBeUndefined()
    expect([...few()]).toEqual([0, 2, 4])
    expect(few()).toBe(few())
  })
})

describe('a value made from a prepared one', () => {
  test('is prepared with it', async () => {
    const from = madeInSteps(function* () {
      yield PAUSE
      return [1, 2, 3]
    })
    const sum = derived(from, (values) => values.reduce((a, b) => a + b))
    expect(() => sum()).toThrow('before it is prepared')
    run(sum.prepare!())
    expect(sum()).toBe(6)
  })

  test('needs no preparation if that one needs none', () => {
    const twice = derived(
      madeAtOnce(() => 21),
      (value) => 2 * value,
    )
    expect(twice.prepare).toBeUndefined()
    expect(twice()).toBe(42)
  })

  test('is made once, however often it is prepared', async () => {
    let made = 0
    const value = madeInSteps(function* () {
      yield PAUSE
      return ++made
    })
    run(value.prepare!())
    run(value.prepare!())
    expect(value()).toBe(1)
  })
})
