import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { nextTurn } from '../src/turn.js'

/** How many of `work` had a turn after each turn of the event loop, until all had `turns`. */
async function workPerTurn(workers: number, turns: number): Promise<{ order: number[]; perTurn: number[] }> {
  const order: number[] = []
  const perTurn: number[] = []
  const all = Array.from({ length: workers }, async (_, worker) => {
    for (let turn = 0; turn < turns; turn++) {
      await nextTurn()
      order.push(worker)
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

test('one caller goes on in a turn of the event loop, however many wait', async () => {
  const { perTurn } = await workPerTurn(50, 3)
  expect(Math.max(...perTurn)).toBe(1)
})

test('turns go round: who has had one waits behind the others', async () => {
  const { order } = await workPerTurn(3, 2)
  expect(order).toEqual([0, 1, 2, 0, 1, 2])
})

test('a caller alone gets every turn', async () => {
  const { perTurn } = await workPerTurn(1, 5)
  expect(perTurn.filter((n) => n === 1).length).toBe(5)
  expect(perTurn.length).toBeLessThanOrEqual(6)
})
