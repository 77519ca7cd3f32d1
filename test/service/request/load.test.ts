import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CONNECTIONS, Load, ledgerMemory } from '../../../src/service/request/load.js'

/** Three threads of one process whose requests may hold 100 bytes, of which 12 are for small ones. */
function threads(memory = ledgerMemory()): Load[] {
  const config = { MAX_BYTES_IN_FLIGHT: 100, MAX_QUEUE: 1, QUEUE_TIMEOUT_MS: 1 }
  return [0, 1, 2].map(() => new Load(config, { waited() {}, refused() {} }, memory))
}

describe('the permit', () => {
  test('counts what all threads hold, and never lets them over the limit', () => {
    const [first, second] = threads() as [Load, Load]
    expect(first.take(60, 'small')).toBe(60)
    expect(second.take(41, 'small')).toBe(0)
    expect(second.take(29, 'begun')).toBe(0)
    expect(second.bytes).toBe(60)
    expect(second.take(28, 'begun')).toBe(28)
    expect(second.take(12, 'small')).toBe(12)
    first.give(60)
    expect(second.take(60, 'small')).toBe(60)
  })

  test('gives more than is needed only where there is room for it', () => {
    const [first, second] = threads() as [Load, Load]
    expect(first.take(10, 'small', 60)).toBe(60)
    expect(second.take(10, 'small', 60)).toBe(10)
    expect(second.bytes).toBe(70)
  })

  test('counts connections and beyond 4 GiB', () => {
    const [first, second] = threads() as [Load, Load]
    first.give(-(2 ** 40))
    expect(second.bytes).toBe(2 ** 40)
    expect([first.count(CONNECTIONS, 1), second.count(CONNECTIONS, 1), first.count(CONNECTIONS)]).toEqual([
      1, 2, 2,
    ])
    expect(first.count(CONNECTIONS, -1)).toBe(1)
  })

  test('whatever is taken and given, the sum is that of what is held', () => {
    const step = fc.record({ thread: fc.nat(2), bytes: fc.integer({ min: 1, max: 60 }), takes: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const ledgers = threads()
        const held = [0, 0, 0]
        for (const { thread, bytes, takes } of steps) {
          if (takes) {
            if (ledgers[thread].take(bytes, 'small')) held[thread] += bytes
          } else if (held[thread] >= bytes) {
            ledgers[thread].give(bytes)
            held[thread] -= bytes
          }
          const sum = held[0] + held[1] + held[2]
          expect(ledgers[0].bytes).toBe(sum)
          expect(sum).toBeLessThanOrEqual(100)
        }
      }),
    )
  })
})
