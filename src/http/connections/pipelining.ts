import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isTurnOver, nextTurn } from '../../turn.js'
import { openOn } from '../lifetime/request-end.js'

/** Requests of one connection that are worked on at once; the answers leave in order, whoever is done first. */
export const AT_ONCE = 8

/** Requests of a connection that have not begun, in their order. */
const held = new WeakMap<Socket, (() => void)[]>()

/**
 * Bounds what one connection can ask for at once: requests that it pipelines beyond that wait until one before them
 * has ended ({@link beginNext}), and nothing more is read from it meanwhile.
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

/** Lets the next request of the connection begin, when this one has ended. */
export function beginNext({ raw: { socket } }: FastifyRequest): void {
  const waiting = held.get(socket)
  if (waiting === undefined || socket.destroyed) return
  const begin = waiting.shift()
  if (begin !== undefined) {
    // Answers that are ready at once would else follow each other without the event loop turning.
    if (isTurnOver()) void nextTurn().then(begin)
    else begin()
  }
  if (waiting.length > 0) return
  held.delete(socket)
  socket.resume()
}
