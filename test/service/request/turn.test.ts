import { setImmediate } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { isTurnOver, nextTurn } from '../../../src/service/process/turn.js'

afterEach(() => vi.restoreAllMocks())

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

test('one work that has used its time runs in each turn of the event loop, however many wait', async () => {
  const { perTurn } = await workPerTurn(50, 3, useUp)
  expect(Math.max(...perTurn)).toBe(1)
})

test.each([useUp, () => {}])('turns go round: who has had one waits behind the others', async (work) => {
  const { order } = await workPerTurn(3, 2, work)
  expect(order).toEqual([0, 1, 2, 0, 1, 2])
})

test('the time of a turn is that of all its work together', async () => {
  let now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  do await setImmediate()
  while (isTurnOver()) // turns without work may follow those of another test
  now += 0.6
  expect(isTurnOver()).toBe(false)
  now += 0.6
  expect(isTurnOver()).toBe(true)
  await setImmediate()
  expect(isTurnOver()).toBe(false)
})

test('a long turn is followed by turns without work', async () => {
  const { perTurn } = await workPerTurn(2, 2, () => {
    for (const end = performance.now() + 20; performance.now() < end; ) {}
  })
  const first = perTurn.indexOf(1)
  expect(perTurn.slice(first, first + 5)).toEqual([1, 0, 0, 0, 0])
})

test('work that is not wanted any more ends after its wait', async () => {
  await nextTurn(new AbortController().signal)
  await expect(nextTurn(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
})
