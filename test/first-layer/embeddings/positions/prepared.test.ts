import { describe, expect, test } from 'vitest'
import {
  derived,
  madeAtOnce,
  madeInSteps,
  numbers,
} from '../../../../src/first-layer/embeddings/positions/prepared.js'
import { ClientGone, drive, isTurnOver, worksWaiting } from '../../../../src/first-layer/running/drive.js'
import { PAUSE, run } from '../../../../src/first-layer/steps.js'
import { CountingClaim } from '../../../counting-claim.js'

const MANY = 100_000

describe('numbers', () => {
  test('are computed at their first use if they are few', () => {
    const few = numbers(3, (i) => 2 * i)
    expect(few.prepare).toBeUndefined()
    expect([...few()]).toEqual([0, 2, 4])
    expect(few()).toBe(few())
  })

  test('many are computed before, in turns, from memory that is reserved', async () => {
    const many = numbers(MANY, Math.sqrt)
    expect(() => many()).toThrow('before it is prepared')
    const claim = new CountingClaim()
    while (!isTurnOver()) {}
    const preparing = drive(claim, many.prepare!())
    expect(claim.taken).toBe(8 * MANY)
    await preparing
    expect(claim.asked).toBeGreaterThan(0)
    expect(many()).toHaveLength(MANY)
    for (const i of [0, 1, 1023, 1024, 65_536, MANY - 1]) expect(many()[i]).toBe(Math.sqrt(i))
  })

  test('wait for their turn where this one is over, and are not computed for who has left', async () => {
    let computed = 0
    const many = numbers(MANY, (i) => {
      computed++
      return i
    })
    const claim = new CountingClaim()
    while (!isTurnOver()) {}
    const preparing = drive(claim, many.prepare!())
    await Promise.resolve() // the room
    expect(worksWaiting()).toBe(1)
    claim.leave()
    await expect(preparing).rejects.toThrow(ClientGone)
    expect(computed).toBe(0)
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
