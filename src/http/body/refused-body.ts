import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { keepsBack } from './expect-continue.js'

/** How long nothing is read after the answer. */
const PATIENCE_MS = 500
/** How long the rest of a refused body is awaited then. */
const LINGER_MS = 10_000
/** A rest up to this size is taken in without ado, and the connection stays. */
const SMALL_BODY = 65_536

/**
 * Sends an answer before the request's body has come whole. A connection that is closed while bytes are still
 * coming in is reset, and the client may lose the answer; so the rest is taken in and thrown away for a while.
 */
export function sendBeforeBodyEnds(request: FastifyRequest, reply: FastifyReply, answer: Buffer): void {
  const { raw } = request
  if (!isOpen(raw)) {
    reply.send(answer)
    return
  }
  if (Number(raw.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= SMALL_BODY) {
    discard(raw)
    reply.send(answer)
    return
  }
  request.bytesOut = answer.length
  reply.header('connection', 'close').header('content-length', answer.length)
  reply.send(Readable.from(answerThenRest(answer, raw)))
}

/** Node calls a request complete only after it has told of it, one without a body too. */
function isOpen(raw: IncomingMessage): boolean {
  return hasBody(raw) && raw.complete === false && !raw.destroyed && !keepsBack(raw)
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * The client has the whole answer with the first block; the connection ends after the second step. Most clients stop
 * sending when they see the answer: reading what they would not send costs more than refusing them.
 */
async function* answerThenRest(answer: Buffer, raw: IncomingMessage): AsyncGenerator<Buffer, void, void> {
  yield answer
  const leaves = once(raw, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) })
  if (await leaves.then(() => true).catch(() => false)) return
  discard(raw)
  const signal = AbortSignal.timeout(LINGER_MS)
  await once(raw, 'close', { signal }).catch(() => {}) // its end, its breaking off, or the end of patience
}

/** A listener, not `resume` alone: that has no effect while an iterator that was left still listens. */
function discard(raw: IncomingMessage): void {
  raw.on('data', () => {}).resume()
}
