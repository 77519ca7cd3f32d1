import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { inTurns, isTurnOver } from '../../../src/service/process/turn.js'
import { CountingClaim, UNBOUNDED } from '../../counting-claim.js'

function untilTurnIsOver(): void {
  while (!isTurnOver()) {}
}

describe('blocks', () => {
  test('are made one at a time, each in its turn, and the work ends where no more are wanted', async () => {
    const made: number[] = []
    let isReleased = false
    function* work() {
      try {
        for (let i = 0; i < 5; i++) {
          untilTurnIsOver()
          made.push(i)
          yield Uint8Array.of(i)
        }
      } finally {
        isReleased = true
      }
    }
    const claim = new CountingClaim()
    for await (const [first] of inTurns(work(), claim)) if (first === 2) break
    expect(made).toEqual([0, 1, 2])
    expect(isReleased).toBe(true)
    expect(claim.asked).toBeGreaterThanOrEqual(2)
  })

  test('without bytes are turns alone', async () => {
    const blocks = [Uint8Array.of(1), new Uint8Array(), Uint8Array.of(2)]
    const seen: Uint8Array[] = []
    for await (const block of inTurns(blocks, UNBOUNDED)) seen.push(block)
    expect(seen).toEqual([blocks[0], blocks[2]])
  })

  test('that are ended while one is made end after it', async () => {
    let isReleased = false
    async function* work() {
      try {
        await setImmediate()
        yield Uint8Array.of(1)
      } finally {
        isReleased = true
      }
    }
    const blocks = inTurns(work(), UNBOUNDED)
    while (isTurnOver()) await setImmediate()
    const first = blocks.next()
    await blocks.return()
    expect((await first).value).toEqual(Uint8Array.of(1))
    expect(isReleased).toBe(true)
    expect((await blocks.next()).done).toBe(true)
  })

  test('whose work is not wanted any more end it', async () => {
    let isReleased = false
    function* work() {
      try {
        untilTurnIsOver()
        yield Uint8Array.of(1)
        yield Uint8Array.of(2)
      } finally {
        isReleased = true
      }
    }
    const stop = new AbortController()
    const blocks = inTurns(work(), stop.signal)
    await blocks.next()
    stop.abort(new Error('the client has gone'))
    untilTurnIsOver()
    await expect(blocks.next()).rejects.toThrow('the client has gone')
    expect(isReleased).toBe(true)
  })
})
