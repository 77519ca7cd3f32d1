import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ClientGone } from '../src/load/client-gone.js'
import { endOfTurn, isTurnOver, nextTurn, noteConnection, Pace } from '../src/turn.js'

/** A piece of work that uses up a turn's time. */
function useUp(): void {
  while (!isTurnOver()) {}
}

/** How many of `work` had a turn after each turn of the event loop, until all had `turns`. */
async function workPerTurn(
  workers: number,
  turns: number,
  work: () => void,
): Promise<{ order: number[]; perTurn: number[] }> {
  const order: number[] = []
  const perTurn: number[] = []
  const all = Array.from({ length: workers }, async (_, worker) => {
    for (let turn = 0; turn < turns; turn++) {
      await nextTurn()
      order.push(worker)
      work()
    }
  })
  while (order.length < workers * turns) {
    const before = order.length
    await setImmediate()
    perTurn.push(order.length - before)
  }
  await Promise.all(all)
  return { order, perTurn }
}

test('one caller that uses its time goes on in a turn of the event loop, however many wait', async () => {
  const { perTurn } = await workPerTurn(50, 3, useUp)
  expect(Math.max(...perTurn)).toBe(1)
})

test('callers that need little share a turn', async () => {
  const { perTurn } = await workPerTurn(200, 1, () => {})
  expect(perTurn.length).toBeLessThan(100)
})

test.each([useUp, () => {}])('turns go round: who has had one waits behind the others', async (work) => {
  const { order } = await workPerTurn(3, 2, work)
  expect(order).toEqual([0, 1, 2, 0, 1, 2])
})

test('a caller alone gets every turn', async () => {
  const { perTurn } = await workPerTurn(1, 5, useUp)
  expect(perTurn.filter((n) => n === 1).length).toBe(5)
  expect(perTurn.length).toBeLessThanOrEqual(6)
})

test('where connections come in turn after turn, works leave them four turns of five, and have the fifth', async () => {
  const turns: number[] = []
  const works = Array.from({ length: 3 }, async () => {
    for (let i = 0; i < 4; i++) {
      await nextTurn()
      turns.push(turn)
      useUp()
    }
  })
  let turn = 0
  for (; turns.length < 12; turn++) {
    noteConnection()
    await setImmediate()
  }
  await Promise.all(works)
  const waits = turns.slice(1).map((at, i) => at - turns[i])
  expect(new Set(waits)).toEqual(new Set([5]))
})

test('a connection takes one turn of works that wait, no later one', async () => {
  const turns: number[] = []
  let turn = 0
  const work = (async () => {
    for (let i = 0; i < 6; i++) {
      await nextTurn()
      turns.push(turn)
      useUp()
    }
  })()
  for (; turns.length < 6; turn++) {
    if (turn === 2) noteConnection()
    await setImmediate()
  }
  await work
  const waits = turns.slice(1).map((at, i) => at - turns[i])
  expect(waits.toSorted()).toEqual([1, 1, 1, 1, 2])
})

test('five hundred works that wait leave a small request its turn between any two of them', async () => {
  let steps = 0
  let running = true
  const works = Array.from({ length: 500 }, async () => {
    while (running) {
      await nextTurn()
      steps++
      if (running) useUp()
    }
  })
  for (let request = 0; request < 50; request++) {
    const before = steps
    await setImmediate() // it arrives
    await endOfTurn() // its answer leaves
    expect(steps - before).toBeLessThanOrEqual(3)
  }
  running = false
  await Promise.all(works)
})

test('the time of a turn is that of all its work together', async () => {
  await setImmediate()
  expect(isTurnOver()).toBe(false)
  useUp()
  expect(new Pace().isOver).toBe(true)
  await setImmediate()
  expect(new Pace().isOver).toBe(false)
})

test('work that is aborted ends at its next turn', async () => {
  let gone = false
  const pace = new Pace({
    throwIfAborted() {
      if (gone) throw new ClientGone()
    },
  })
  await pace.nextTurn()
  gone = true
  await expect(pace.nextTurn()).rejects.toThrow(ClientGone)
})

/** Who has its turn, turn by turn: each work of `names` uses up its turns until it has had `turns`. */
function longWorks(order: string[]) {
  return async (name: string, turns: number): Promise<void> => {
    const pace = new Pace()
    for (let turn = 0; turn < turns; turn++) {
      await pace.nextTurn()
      order.push(name)
      useUp()
    }
  }
}

/** The lengths of runs of one name: `aabbb` → 2, 3. */
function runs(order: readonly string[]): number[] {
  const found = order.join('').match(/(.)\1*/g) ?? []
  return found.map(({ length }) => length)
}

test('of long works each has eight turns in a row, once all have had their first', async () => {
  const order: string[] = []
  const work = longWorks(order)
  await Promise.all([work('a', 40), work('b', 40)])
  const long = runs(order.slice(0, 72))
  expect(Math.max(...long)).toBe(8)
  expect(long.filter((length) => length === 8).length).toBeGreaterThanOrEqual(6)
})

test('a work that has just begun has every second turn beside long ones, for its first two turns', async () => {
  const order: string[] = []
  const work = longWorks(order)
  const long = [work('a', 60), work('b', 60)]
  while (order.length < 20) await setImmediate()
  const begun = order.length
  await work('c', 2)
  expect(order.slice(begun).indexOf('c')).toBeLessThanOrEqual(2)
  expect(order.length - begun).toBeLessThanOrEqual(5)
  await Promise.all(long)
})

test('long works have every second turn beside those that come without end', async () => {
  const order: string[] = []
  const work = longWorks(order)
  const long = work('a', 40)
  while (order.length < 10) await setImmediate()
  const waves = Array.from({ length: 40 }, () => work('.', 2))
  while (order.length < 50) await setImmediate()
  const shares = order.slice(10, 50).filter((name) => name === 'a')
  expect(shares.length).toBeGreaterThanOrEqual(18)
  await Promise.all([long, ...waves])
})
