import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RateLimiter, TRACES_A_SECOND } from '../../src/tracing/rate-limiter.js'
import { checkProperty } from '../property.js'

/** Traces one more request where the limiter allows it. */
function take(limiter: RateLimiter, now: number): boolean {
  const has = limiter.has(now)
  if (has) limiter.begin()
  return has
}

const PLENTY = 1_000_000
const SPANS = 5

describe('the rate limiter of traces', () => {
  test('lets so many requests in each second, and counts the others', () => {
    const limiter = new RateLimiter(PLENTY)
    for (let i = 0; i < TRACES_A_SECOND; i++) expect(take(limiter, 1000)).toBe(true)
    expect([take(limiter, 1000), take(limiter, 1999), take(limiter, 2000)]).toEqual([false, false, true])
    expect(limiter.skipped).toBe(2)
  })

  test('never holds more spans than it may, whatever comes in whatever order', async () => {
    const given = fc.property(
      fc.integer({ min: 6, max: 40 }),
      fc.array(fc.constantFrom('begin', 'end', 'sent', 'failed'), { maxLength: 200 }),
      (most, acts) => {
        const limiter = new RateLimiter(most)
        let [running, waiting, exported, failed] = [0, 0, 0, 0]
        for (const act of acts) {
          if (act === 'begin' && take(limiter, 0)) running++
          else if (act === 'end' && running > 0) {
            running--
            waiting += SPANS
            limiter.ended(SPANS)
          } else if (act === 'sent' && waiting > 0) {
            limiter.sent(waiting, true)
            exported += waiting
            waiting = 0
          } else if (act === 'failed' && waiting > 0) {
            limiter.sent(waiting, false)
            failed += waiting
            waiting = 0
          }
          expect(running * SPANS + waiting).toBeLessThanOrEqual(most)
        }
        expect([limiter.exported, limiter.failed]).toEqual([exported, failed])
        if (running + waiting === 0) expect(take(limiter, 0)).toBe(true)
      },
    )
    await checkProperty(given, 200)
  })
})
