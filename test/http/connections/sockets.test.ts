import { EventEmitter } from 'node:events'
import type { Server, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { Sockets } from '../../../src/http/connections/sockets.js'
import { forgetThread, Ledger, ledgerMemory } from '../../../src/load/ledger.js'

/** Two threads that may have four sockets together: what `accept` gives a thread, and which sockets are closed. */
function twoThreads() {
  const memory = ledgerMemory(2, 4)
  const closed: string[] = []
  const threads = [0, 1].map((thread) => {
    const listener = new EventEmitter()
    const sockets = new Sockets(new Ledger(memory, thread, 2 ** 20))
    sockets.watch(listener as Server)
    return {
      accept(name: string): Socket {
        const socket = Object.assign(new EventEmitter(), { destroy: () => void closed.push(name) })
        listener.emit('connection', socket)
        return socket as unknown as Socket
      },
      keep: (socket: Socket) => sockets.keep(socket),
    }
  })
  return { memory, closed, first: threads[0], second: threads[1] }
}

test('beyond the bound the client that waits longest gives way, and no connection does', () => {
  const { closed, first } = twoThreads()
  first.keep(first.accept('connection'))
  for (const name of ['a', 'b', 'c', 'd', 'e']) first.accept(name)
  expect(closed).toEqual(['a', 'b'])
})

test('a socket that has closed makes room', () => {
  const { closed, first } = twoThreads()
  const [one] = ['a', 'b', 'c', 'd'].map((name) => first.accept(name))
  one.emit('close')
  first.accept('e')
  expect(closed).toEqual([])
})

test('clients that wait in one thread keep those of another from nothing', () => {
  const { closed, first, second } = twoThreads()
  for (const name of ['a', 'b', 'c', 'd']) first.accept(name)
  for (const name of ['x', 'y', 'z']) second.accept(name)
  expect(closed).toEqual(['x'])
})

test('the sockets of a thread that has ended count no more', () => {
  const { memory, closed, first, second } = twoThreads()
  for (const name of ['a', 'b', 'c', 'd']) second.accept(name)
  forgetThread(memory, 1)
  for (const name of ['w', 'x', 'y', 'z']) first.accept(name)
  expect(closed).toEqual([])
})
