import { expect, test, vi } from 'vitest'
import type { ModelEntry } from '../../../src/service/models/entry.js'
import type { Order } from '../../../src/service/threads/messages.js'
import { ModelThreads } from '../../../src/service/threads/model-threads.js'

const entry = (id: string) => ({ id }) as unknown as ModelEntry

test('a model goes to the first thread’s library and to every other thread, and so does its end', async () => {
  const orders: Order[] = []
  const library = { put: vi.fn(async () => {}), drop: vi.fn(async () => {}) }
  let isDrained = () => {}
  const drained = new Promise<void>((resolve) => {
    isDrained = resolve
  })
  let taken = Promise.resolve()
  const tell = (order: (id: number) => Order) => {
    orders.push(order(7), order(8))
    return [{ taken, drained }]
  }
  const threads = new ModelThreads(3)
  await threads.put(entry('before any library'))
  threads.serveHere(library as never, [entry('a')])
  expect(library.put.mock.calls).toEqual([[entry('a')]])
  threads.serveThere({ tell } as never)
  const { drained: all } = await threads.put(entry('b'))
  const done = vi.fn()
  void all.then(done)
  expect([library.put.mock.calls.length, orders]).toEqual([
    2,
    [7, 8].map((id) => ({ type: 'put', id, entry: entry('b') })),
  ])
  await Promise.resolve()
  expect(done).not.toHaveBeenCalled()
  isDrained()
  await all
  let isAcknowledged = () => {}
  taken = new Promise<void>((resolve) => {
    isAcknowledged = resolve
  })
  const dropped = vi.fn()
  const dropping = threads.drop('b').then(dropped)
  await new Promise(setImmediate)
  expect(dropped).not.toHaveBeenCalled() // before the other threads have it
  isAcknowledged()
  await dropping
  expect(library.drop.mock.calls).toEqual([['b']])
  expect(orders.slice(2)).toEqual([7, 8].map((id) => ({ type: 'drop', id, model: 'b' })))
})
