import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isTurnOver, nextTurn } from '../../turn.js'
import { openOn } from '../lifetime/request-end.js'

/** How many requests of one connection run at once; their answers leave in the order of the requests. */
export const AT_ONCE = 8

/** Requests of a connection that wait to begin, first come first. */
const held = new WeakMap<Socket, (() => void)[]>()

/**
 * Bounds how many pipelined requests of one connection run at once. A request beyond the bound waits until an
 * earlier one has ended ({@link beginNext}); the service reads nothing from the connection meanwhile.
 */
export function addPipelineBound(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw
    const open = openOn(socket).size
    if (open <= AT_ONCE) return done()
    const waiting = held.get(socket) ?? []
    if (open - waiting.length <= AT_ONCE) return done()
    held.set(socket, waiting)
    waiting.push(done)
    socket.pause()
  })
}

/** Lets the connection's next waiting request begin; called when this request has ended. */
export function beginNext({ raw: { socket } }: FastifyRequest): void {
  const waiting = held.get(socket)
  if (waiting === undefined || socket.destroyed) return
  const begin = waiting.shift()
  if (begin !== undefined) {
    // Without this, answers that need no wait would follow each other within one turn of the event loop.
    if (isTurnOver()) void nextTurn().then(begin)
    else begin()
  }
  if (waiting.length > 0) return
  held.delete(socket)
  socket.resume()
}
