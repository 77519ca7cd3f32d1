import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Requests whose client waits for `100 Continue` before it sends the body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>()

/** Lets a client that sent `Expect: 100-continue` keep its body back until a route calls {@link invite}. */
export function addContinue(app: FastifyInstance): void {
  app.server.on('checkContinue', (raw: IncomingMessage, response: ServerResponse) => {
    waiting.set(raw, response)
    app.server.emit('request', raw, response)
  })
}

export function invite(raw: IncomingMessage): void {
  waiting.get(raw)?.writeContinue()
  waiting.delete(raw)
}

/** Whether the client still waits for `100 Continue`: without it, the client sends no body. */
export function keepsBack(raw: IncomingMessage): boolean {
  return waiting.has(raw)
}
