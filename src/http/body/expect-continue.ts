import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** A client that asks first sends its body only when a route wants it, not to be refused. */
export function addContinue(app: FastifyInstance): void {
  app.server.on('checkContinue', (raw: IncomingMessage, response: ServerResponse) => {
    waiting.set(raw, response)
    app.server.emit('request', raw, response)
  })
}

/** Says that the body is wanted. */
export function invite(raw: IncomingMessage): void {
  waiting.get(raw)?.writeContinue()
  waiting.delete(raw)
}

/** Whether the client still keeps its body back: then none will come. */
export function keepsBack(raw: IncomingMessage): boolean {
  return waiting.has(raw)
}
