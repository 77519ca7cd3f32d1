import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { completeHead, everyLines } from '../every-answer.js'
import { headerLines } from './header-lines.js'

/**
 * Node's own step behind `writeHead`, under a name that it has had since its beginning: makes the head of a first line and
 * of headers, and adds those of the connection.
 */
interface HeadStore {
  _storeHeader?(firstLine: string, headers: readonly (string | number)[]): void
}

/**
 * Sends an answer of one piece, head and body, past the framework and past `writeHead`. These take 50,000 instructions for
 * fifteen headers, a sixth of a small request: each is set by itself, searched by two regular expressions, and joined to
 * the others. Here the lines come as text, and Node adds its own to them: `Content-Length`, `Date`, `Connection`.
 *
 * @param headers of this answer, beside those that the reply has
 */
export function sendWhole(
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): void {
  reply.hijack()
  const { raw } = reply
  const length = body.byteLength
  if (isPlain(request, raw)) {
    const lines = everyLines(request) + headerLines(reply.getHeaders(), headers) + headerLines(headers)
    ;(raw as HeadStore)._storeHeader!(`HTTP/1.1 200 OK\r\n${lines}`, ['content-length', length])
  } else {
    completeHead(request, reply)
    reply.headers(headers).header('content-length', length)
    raw.writeHead(raw.statusCode, reply.getHeaders() as Record<string, string>)
  }
  raw.end(body)
}

/** Whether nothing is left of what `writeHead` does beside the head's text. */
function isPlain({ headers, server }: FastifyRequest, raw: ServerResponse): boolean {
  return (
    raw.statusCode === 200 &&
    headers.expect === undefined && // `writeHead` closes where `100 Continue` was not sent
    !server.isStopping() &&
    typeof (raw as HeadStore)._storeHeader === 'function'
  )
}
