import { describe, expect, test } from 'vitest'
import { Liveness } from '../../src/load/liveness.js'
import { Watchdog } from '../../src/load/watchdog.js'

/** Three threads that look at each other; `said` is what they said. */
function threads() {
  const said: string[] = []
  const first = Liveness.first(3)
  const lives = [first, new Liveness(first.shared, 1), new Liveness(first.shared, 2)]
  const dogs = lives.map(
    (liveness) =>
      new Watchdog(liveness, {
        silent: (thread) => said.push(`${thread} hangs`),
        back: () => said.push(`${liveness.thread} goes on`),
      }),
  )
  const look = (...which: number[]) => {
    for (const thread of which) dogs[thread].look()
  }
  return { lives, look, said }
}

describe('a watchdog', () => {
  test('reports once for all threads that a thread has missed ten beats, and that it goes on', () => {
    const { lives, look, said } = threads()
    for (let i = 0; i < 5; i++) look(0, 1, 2)
    for (let i = 0; i < 9; i++) look(0, 2)
    expect([said, lives[0].silentThread()]).toEqual([[], undefined])
    look(0, 2)
    expect(said).toEqual(['1 hangs'])
    for (let i = 0; i < 50; i++) look(0, 2)
    expect(said).toEqual(['1 hangs'])
    for (const liveness of lives) expect(liveness.silentThread()).toBe(1)
    look(1)
    expect(said).toEqual(['1 hangs', '1 goes on'])
    expect(lives[0].silentThread()).toBeUndefined()
    look(0, 1, 2)
    for (let i = 0; i < 20; i++) look(1, 2)
    expect(said).toEqual(['1 hangs', '1 goes on', '0 hangs'])
  })

  test('reports no thread where the whole process was stopped, or has one core for all', () => {
    const { look, said } = threads()
    for (let i = 0; i < 100; i++) {
      look(0) // after a day's sleep, one after the other
      look(1)
      if (i % 5 === 0) look(2)
    }
    expect(said).toEqual([])
  })

  test('looks at no thread that has not begun, or has ended', () => {
    const { lives, look, said } = threads()
    for (let i = 0; i < 30; i++) look(0)
    look(1, 2)
    lives[0].end(1)
    lives[0].end(2)
    for (let i = 0; i < 30; i++) look(0)
    expect(said).toEqual([])
  })
})

describe('the state that threads share', () => {
  test('the request that began last, in a place of its own for each', () => {
    const { lives } = threads()
    const routes = ['/v1/tokenize', '/v1/models/:model'].map(
      (route) => lives.map((l) => l.declareRoute(route))[0],
    )
    expect(lives[0].lastOf(1)).toBeUndefined()
    lives[1].runs(routes[0], 'a'.repeat(128))
    lives[2].runs(routes[1], 'run-7')
    lives[1].runs(routes[0], 'b')
    expect(lives[0].lastOf(1)).toEqual({ route: '/v1/tokenize', reqId: 'b' })
    expect(lives[0].lastOf(2)).toEqual({ route: '/v1/models/:model', reqId: 'run-7' })
    expect(lives[1].lastOf(0)).toBeUndefined()
  })

  test('that the process stops, and what still runs in it', () => {
    const { lives } = threads()
    expect(lives[2].isStopping).toBe(false)
    lives[0].stop()
    for (const liveness of lives) expect(liveness.isStopping).toBe(true)
    lives[1].tellOpenRequests(3)
    lives[2].tellOpenRequests(4)
    expect(lives[0].openRequests()).toBe(7)
    lives[0].end(1)
    expect(lives[0].openRequests()).toBe(4)
  })

  test('who writes to the log; one that ends lets it go', () => {
    const { lives } = threads()
    expect([lives[1].takeLog(), lives[1].takeLog(), lives[0].takeLog()]).toEqual([true, true, false])
    lives[0].giveLog()
    expect(lives[2].takeLog()).toBe(false)
    lives[1].giveLog()
    expect(lives[2].takeLog()).toBe(true)
    lives[0].end(2)
    expect(lives[0].takeLog()).toBe(true)
  })
})
