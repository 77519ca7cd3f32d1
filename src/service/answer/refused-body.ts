import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { keepsBack } from '../request/body/read-body.js'
import { SMALL_BODY_BYTES } from '../request/load/request-claim.js'
import { headOf } from './every-answer.js'

/** After the answer, the service reads nothing for so long: most clients stop sending in this time. */
const PATIENCE_MS = 500
/** After that, the service reads and drops the rest of the body for so long at most. */
const LINGER_MS = 10_000

/**
 * Sends an answer before the whole body of the request has arrived. If the service closed the connection
 * while the client still sends, the system would reset it and the client could lose the answer. So the
 * service reads and drops the rest of the body for a while.
 */
export function sendBeforeBodyEnds(request: FastifyRequest, reply: FastifyReply, answer: Buffer): void {
  const { raw } = request
  if (!isOpen(raw)) {
    reply.send(answer)
    return
  }
  if (Number(raw.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= SMALL_BODY_BYTES) {
    discard(raw)
    reply.send(answer)
    return
  }
  request.bytesOut = answer.length
  reply.hijack()
  const head = headOf(request, reply, { connection: 'close', 'content-length': String(answer.length) })
  // In this tick Node's parser may still refuse the bytes behind the head: it then has the last word on the connection.
  process.nextTick(() => {
    if (!raw.socket.writable) return
    reply.raw.writeHead(reply.statusCode, head).write(answer)
    endAfterRest(raw, reply.raw)
  })
}

/** Whether bytes of the body may still come. Node sets `complete` late, also for a request without a body. */
function isOpen(raw: IncomingMessage): boolean {
  return hasBody(raw) && raw.complete === false && !raw.destroyed && !keepsBack(raw)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Ends an answer that is written, after waiting {@link PATIENCE_MS} for the client to close, then reading and dropping the
 * rest of the body. Most clients stop sending when they see the answer; reading at once would invite them to go on.
 */
function endAfterRest(raw: IncomingMessage, response: ServerResponse): void {
  const end = () => response.end()
  raw.once('close', end) // the body ended or broke off
  let wait = setTimeout(() => {
    discard(raw)
    wait = setTimeout(end, LINGER_MS)
  }, PATIENCE_MS)
  response.once('close', () => clearTimeout(wait))
}

/** Adds a listener: `resume` alone has no effect while an iterator that was not read to its end still listens. */
function discard(raw: IncomingMessage): void {
  raw.on('data', () => {}).resume()
}
