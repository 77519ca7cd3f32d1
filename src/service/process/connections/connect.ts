import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type ErrorCode, HeaderedError } from '../../answer/error-table.js'
import { requestId } from '../../answer/every-answer.js'
import { openRequestsOn } from '../../request/request-end.js'
import { endWith } from './client-errors.js'

/** How long a client may take to close its side after the answer. */
const LINGER_MS = 500

/** The methods that routes have. */
export const ROUTE_METHODS = 'GET, HEAD, POST, PUT, DELETE'

/**
 * Answers CONNECT with 405 and ends the connection: this service is no proxy. Node detaches its parser from such a
 * connection before it emits `connect`, and destroys the connection where there is no listener.
 *
 * @param answered called with the error's code
 */
export function addConnect(app: FastifyInstance, answered: (code: ErrorCode) => void): void {
  app.server.on('connect', (request: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {}) // Node has removed its listeners, and without one a reset would end the process
    socket.resume() // bytes left unread would reset the connection, and the answer with it
    if (!socket.writable || openRequestsOn(socket) > 0) return void socket.destroy()
    const message = `This service is no proxy: it allows ${ROUTE_METHODS}. Given: CONNECT`
    const error = new HeaderedError('method_not_allowed', message, null, { Allow: ROUTE_METHODS })
    endWith(socket, error, requestId(request))
    answered(error.code)
    const patience = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(patience))
  })
}
