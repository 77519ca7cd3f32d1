import { maxHeaderSize, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { bodyOf, type ErrorCode, headersOf, InletError, statusOf } from '../answer/error-table.js'
import { headersOfAll } from '../answer/every-answer.js'
import { answerOn } from '../answer/request-end.js'
import { sendsSlowBody } from '../request/body/slow-bodies.js'

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
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && sendsSlowBody(socket)) return undefined
  const known = CLIENT_ERRORS[error.code ?? ''] ?? notHttp(error)
  // If an answer has begun, the client would read an error as a part of that answer.
  const answer = answerOn(socket)
  if (known === undefined || !socket.writable || answer !== 'none') {
    if (answer === 'written') socket.destroySoon()
    else socket.destroy()
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
export function endWith(socket: Socket, error: InletError): void {
  const body = JSON.stringify(bodyOf(error))
  const status = statusOf(error)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...lines({ ...headersOf(error), connection: 'close' }),
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    ...lines(headersOfAll(crypto.randomUUID())),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
