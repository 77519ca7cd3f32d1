import { type IncomingMessage, maxHeaderSize, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import {
  bodyOf,
  type ErrorCode,
  HeaderedError,
  headersOf,
  InletError,
  statusOf,
} from '../../answer/error-table.js'
import { headersOfAll, requestId } from '../../answer/every-answer.js'
import { isAnswering, openRequestsOn } from '../../request/request-end.js'
import { sendsSlowBody } from '../../request/slow-bodies.js'

/** How long a client may go on sending after the answer to what is no HTTP request, in milliseconds. */
const LINGER_MS = 2000

const answered = new WeakSet<Socket>()

/** Node's code for an error of a connection → the error that the service answers. */
export const CLIENT_ERRORS: Readonly<Record<string, InletError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new InletError('request_timeout', 'The request did not arrive in time.'),
  HPE_HEADER_OVERFLOW: new InletError('headers_too_large', `The header is over ${maxHeaderSize} bytes.`),
}

type ClientError = Error & { readonly code?: string; readonly reason?: string }

/**
 * Answers bytes that are no HTTP request in the form of the error table, and ends the connection.
 * @returns the code that was answered; undefined where the client has gone or an answer has begun
 */
export function answerClientError(error: ClientError, socket: Socket): ErrorCode | undefined {
  // Node's parser reports each further part of what was refused. Closing now would reset the connection, and the client
  // might lose the answer.
  if (answered.has(socket) && error.code !== 'ECONNRESET') return undefined
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && sendsSlowBody(socket)) return undefined
  const known = CLIENT_ERRORS[error.code ?? ''] ?? notHttp(error)
  // If an answer has begun, the client would read an error as a part of that answer.
  if (known === undefined || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return undefined
  }
  endWith(socket, known)
  return known.code
}

/** An error of the parser; undefined for one of the connection, as a reset or a handshake that failed. */
function notHttp({ code, reason }: ClientError): InletError | undefined {
  if (!code?.startsWith('HPE_')) return undefined
  const why = reason === undefined ? '' : `: ${reason}`
  return new InletError('invalid_request', `The request must be valid HTTP/1.1${why}.`)
}

/** `{ Allow: 'GET' }` → `Allow: GET`. */
function lines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
}

/** Writes an error, head and body, as the last answer on a connection that Node writes no answer to. */
export function endWith(socket: Socket, error: InletError, id: string = crypto.randomUUID()): void {
  const body = JSON.stringify(bodyOf(error))
  const status = statusOf(error)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines({ ...headersOf(error), connection: 'close' }),
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    ...lines(headersOfAll(id)),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  answered.add(socket)
  const end = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(end))
}

/** How long a client may take to close its side after the answer. */
const CONNECT_LINGER_MS = 500

export const ROUTE_METHODS = 'GET, HEAD, POST, PUT, DELETE'

/**
 * Answers CONNECT with 405 and ends the connection: this service is no proxy. Node detaches its parser from
 * such a connection before it emits `connect`, and destroys the connection where there is no listener.
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
    const patience = setTimeout(() => socket.destroy(), CONNECT_LINGER_MS)
    socket.once('close', () => clearTimeout(patience))
  })
}
