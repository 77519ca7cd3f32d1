import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Ledger, ledgerMemory, PAGE_BYTES, pagesOf } from '../../../../src/service/request/load/admission.js'

/** Three threads of one process that may hold 100 pages. */
function threads(memory = ledgerMemory()): Ledger[] {
  return [0, 1, 2].map(() => new Ledger(memory, 100 * PAGE_BYTES))
}

test('pages hold all bytes', () => {
  expect([0, 1, 1024, 1025].map(pagesOf)).toEqual([0, 1, 1, 2])
})

describe('the ledger', () => {
  test('counts what all threads hold, and never lets them over the limit', () => {
    const [first, second] = threads()
    expect(first.take(60, 100)).toBe(true)
    expect(second.take(41, 100)).toBe(false)
    expect(second.bytes).toBe(60 * PAGE_BYTES)
    expect(second.take(40, 100)).toBe(true)
    first.give(60)
    expect(second.take(60, 100)).toBe(true)
  })

  test('whatever is taken and given, the sum is that of what is held', () => {
    const step = fc.record({ thread: fc.nat(2), pages: fc.integer({ min: 1, max: 60 }), takes: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const ledgers = threads()
        const held = [0, 0, 0]
        for (const { thread, pages, takes } of steps) {
          if (takes) {
            if (ledgers[thread].take(pages, 100)) held[thread] += pages
          } else if (held[thread] >= pages) {
            ledgers[thread].give(pages)
            held[thread] -= pages
          }
          const sum = held[0] + held[1] + held[2]
          expect(ledgers[0].bytes).toBe(sum * PAGE_BYTES)
          expect(sum).toBeLessThanOrEqual(100)
        }
      }),
    )
  })
})
