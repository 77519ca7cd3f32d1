import { maxHeaderSize, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, InletError } from '../../errors.js'

/** What is wrong with a connection, by the code that Node gives it. */
export const CLIENT_ERRORS: Readonly<Record<string, InletError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new InletError('request_timeout', 'The request did not arrive in time.'),
  HPE_HEADER_OVERFLOW: new InletError('headers_too_large', `The header is over ${maxHeaderSize} bytes.`),
}

/** What Node's parser reports; `reason` is one of its own texts, `Invalid header token`. */
type ClientError = Error & { readonly code?: string; readonly reason?: string }

/** The answer that is being written, as Node itself looks for it before it reports such an error. */
export type AnsweringSocket = Socket & { readonly _httpMessage?: ServerResponse | null }

/**
 * What is no HTTP request at all gets the error table's form too, and the connection ends.
 *
 * @returns the code that was answered; undefined where nobody is left to be answered
 */
export function answerClientError(error: ClientError, socket: AnsweringSocket): ErrorCode | undefined {
  // Within an answer that has begun, another one would be read as a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy()
    return undefined
  }
  const known = CLIENT_ERRORS[error.code ?? ''] ?? notHttp(error.reason)
  endWith(socket, known)
  return known.code
}

function notHttp(reason?: string): InletError {
  const why = reason === undefined ? '' : `: ${reason}`
  return new InletError('invalid_request', `The request must be valid HTTP/1.1${why}.`)
}

/** Writes an error as the last answer of a connection on which Node writes none. */
export function endWith(socket: Socket, error: InletError, id: string = crypto.randomUUID()): void {
  const body = JSON.stringify(error.body())
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
