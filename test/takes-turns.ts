import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ClientGone } from '../src/load/client-gone.js'
import { CountingClaim } from './counting-claim.js'

/** Makes each look at the clock take so long. */
function clockSteps(milliseconds: number): void {
  let now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += milliseconds
    return now
  })
}

/** Tests that a long work takes turns as others do, by a clock of their own. @param work of several steps */
export function testTurns(work: (claim: CountingClaim) => Promise<unknown>): void {
  beforeEach(() => new Promise<void>((resolve) => setImmediate(resolve))) // a turn that a real clock measures ends
  afterEach(async () => {
    vi.restoreAllMocks()
    await new Promise(setImmediate) // the turn that was measured by this clock ends
  })

  test('waits for no turn while there is time', async () => {
    const claim = new CountingClaim()
    clockSteps(0)
    await work(claim)
    expect(claim.asked).toBe(0)
  })

  test('leaves others their turns when the time is over, and gives the same', async () => {
    const expected = await work(new CountingClaim())
    const claim = new CountingClaim()
    clockSteps(2)
    expect(await work(claim)).toEqual(expected)
    expect(claim.asked).toBeGreaterThan(1)
  })

  test('ends when the caller has gone', async () => {
    const claim = new CountingClaim()
    claim.leave()
    clockSteps(2)
    await expect(work(claim)).rejects.toThrow(ClientGone)
    expect(claim.asked).toBe(1)
  })
}
