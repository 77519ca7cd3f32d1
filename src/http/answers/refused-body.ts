import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SMALL_BODY_BYTES } from '../../load/request-claim.js'
import { keepsBack } from './expect-continue.js'

/** After the answer, the service reads nothing for so long: most clients stop sending in this time. */
const PATIENCE_MS = 500
/** After that, the service reads and drops the rest of the body for so long at most. */
const LINGER_MS = 10_000

/**
 * Sends an answer before the whole body of the request has arrived. If the service closed the connection while
 * the client still sends, the system would reset it and the client could lose the answer. So the service reads
 * and drops the rest of the body for a while.
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
  reply.header('connection', 'close').header('content-length', answer.length)
  reply.send(Readable.from(answerThenRest(answer, raw)))
}

/** Whether bytes of the body may still come. Node sets `complete` late, also for a request without a body. */
function isOpen(raw: IncomingMessage): boolean {
  return hasBody(raw) && raw.complete === false && !raw.destroyed && !keepsBack(raw)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Gives the whole answer as the first block, waits {@link PATIENCE_MS} for the client to close, then reads and
 * drops the rest of the body. Most clients stop sending when they see the answer; reading at once would invite
 * them to go on.
 */
async function* answerThenRest(answer: Buffer, raw: IncomingMessage): AsyncGenerator<Buffer, void, void> {
  yield answer
  const leaves = once(raw, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) })
  if (await leaves.then(() => true).catch(() => false)) return
  discard(raw)
  const signal = AbortSignal.timeout(LINGER_MS)
  await once(raw, 'close', { signal }).catch(() => {}) // the body ended or broke off, or the time is over
}

/** Adds a listener: `resume` alone has no effect while an iterator that was not read to its end still listens. */
function discard(raw: IncomingMessage): void {
  raw.on('data', () => {}).resume()
}
