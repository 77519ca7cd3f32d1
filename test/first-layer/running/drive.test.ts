import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  type Claim,
  drive,
  driveBlocks,
  isTurnOver,
  UNBOUNDED,
} from '../../../src/first-layer/running/drive.js'
import { type Blocks, PAUSE, type Steps, waitFor } from '../../../src/first-layer/steps.js'
import { CountingClaim } from '../../counting-claim.js'

function untilTurnIsOver(): void {
  while (!isTurnOver()) {}
}

/** A claim whose caller can leave while work waits for something else than its turn. */
function abortable() {
  let abort = (_: Error) => {}
  const onAbort: Claim['onAbort'] = (act) => {
    abort = act
    return () => {}
  }
  return { claim: { ...UNBOUNDED, onAbort }, abort: (error: Error) => abort(error) }
}

describe('steps with a claim', () => {
  test('without a wait give their result itself', async () => {
    await setImmediate()
    function* work(): Steps<number> {
      yield PAUSE
      yield 100
      yield -40
      return 7
    }
    const claim = new CountingClaim()
    expect(drive(claim, work())).toBe(7)
    expect(claim.taken).toBe(60)
  })

  test('throw what they throw, at once', () => {
    // biome-ignore lint/correctness/useYield: it fails before its first step
    function* work(): Steps<void> {
      throw new RangeError('no')
    }
    expect(() => drive(UNBOUNDED, work())).toThrow('no')
  })

  test('wait for the next turn where this one is over, and end with their caller', async () => {
    let ended = ''
    function* work(): Steps<string> {
      try {
        for (;;) {
          untilTurnIsOver()
          yield PAUSE
        }
      } finally {
        ended = 'released'
      }
    }
    const claim = new CountingClaim()
    const working = drive(claim, work())
    expect(working).toBeInstanceOf(Promise)
    await setImmediate()
    claim.leave()
    await expect(working).rejects.toThrow()
    expect(ended).toBe('released')
  })

  test('get the claim’s error where there is no room for their bytes', async () => {
    const full: Claim = {
      ...UNBOUNDED,
      take() {
        throw new Error('too much')
      },
    }
    function* work(): Steps<string> {
      try {
        yield 1
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    expect(drive(full, work())).toBe('too much')
  })

  test('wait for a promise, and end before it where their caller leaves', async () => {
    const { claim, abort } = abortable()
    function* work(promise: Promise<number>): Steps<number> {
      return yield* waitFor(promise)
    }
    expect(await drive(claim, work(Promise.resolve(3)))).toBe(3)
    await expect(drive(claim, work(Promise.reject(new Error('lost'))))).rejects.toThrow('lost')
    const never = drive(claim, work(new Promise(() => {})))
    abort(new Error('gone'))
    await expect(never).rejects.toThrow('gone')
  })
})

describe('blocks', () => {
  test('are made one at a time, and the work ends where no more are wanted', async () => {
    const made: number[] = []
    let isReleased = false
    function* work(): Blocks {
      try {
        for (let i = 0; i < 5; i++) {
          untilTurnIsOver()
          yield PAUSE
          made.push(i)
          yield Uint8Array.of(i)
        }
      } finally {
        isReleased = true
      }
    }
    for await (const [first] of driveBlocks(new CountingClaim(), work())) if (first === 2) break
    expect(made).toEqual([0, 1, 2])
    expect(isReleased).toBe(true)
  })

  test('that are ended while one is made end after it', async () => {
    let isReleased = false
    function* work(): Blocks {
      try {
        untilTurnIsOver()
        yield PAUSE
        yield Uint8Array.of(1)
      } finally {
        isReleased = true
      }
    }
    const blocks = driveBlocks(UNBOUNDED, work())
    const first = blocks.next()
    await blocks.return?.()
    expect((await first).value).toEqual(Uint8Array.of(1))
    expect(isReleased).toBe(true)
    expect((await blocks.next()).done).toBe(true)
  })
})
