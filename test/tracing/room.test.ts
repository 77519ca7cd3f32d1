import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Room, TRACES_A_SECOND } from '../../src/tracing/room.js'
import { checkProperty } from '../property.js'

/** Traces one more request where there is room. */
function take(room: Room, now: number): boolean {
  const has = room.has(now)
  if (has) room.begin()
  return has
}

const PLENTY = 1_000_000
const SPANS = 5

describe('the room for traces', () => {
  test('lets so many requests in each second, and counts the others', () => {
    const room = new Room(PLENTY)
    for (let i = 0; i < TRACES_A_SECOND; i++) expect(take(room, 1000)).toBe(true)
    expect([take(room, 1000), take(room, 1999), take(room, 2000)]).toEqual([false, false, true])
    expect(room.skipped).toBe(2)
  })

  test('never holds more spans than it may, whatever comes in whatever order', async () => {
    const given = fc.property(
      fc.integer({ min: 6, max: 40 }),
      fc.array(fc.constantFrom('begin', 'end', 'sent', 'failed'), { maxLength: 200 }),
      (most, acts) => {
        const room = new Room(most)
        let [running, waiting, exported, failed] = [0, 0, 0, 0]
        for (const act of acts) {
          if (act === 'begin' && take(room, 0)) running++
          else if (act === 'end' && running > 0) {
            running--
            waiting += SPANS
            room.ended(SPANS)
          } else if (act === 'sent' && waiting > 0) {
            room.sent(waiting, true)
            exported += waiting
            waiting = 0
          } else if (act === 'failed' && waiting > 0) {
            room.sent(waiting, false)
            failed += waiting
            waiting = 0
          }
          expect(running * SPANS + waiting).toBeLessThanOrEqual(most)
        }
        expect([room.exported, room.failed]).toEqual([exported, failed])
        if (running + waiting === 0) expect(take(room, 0)).toBe(true)
      },
    )
    await checkProperty(given, 200)
  })
})
