import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isClientGone } from '../../load/client-gone.js'
import { completeHead } from '../every-answer.js'
import { whenEnded } from '../lifetime/request-end.js'
import { Writes } from '../lifetime/writes.js'
import type { Exchange } from './exchange.js'
import { answerHeaders } from './headers.js'

const NOTHING = Buffer.alloc(0)

/**
 * Sends the upstream's answer to the caller as it comes: status, headers, body. The next bytes are read when the caller
 * has taken those before. An answer that breaks off ends the caller's connection, so that it can be told from a whole one.
 */
export async function passOn(
  request: FastifyRequest,
  reply: FastifyReply,
  exchange: Exchange,
  answer: IncomingMessage,
): Promise<void> {
  completeHead(request, reply)
  reply.headers(answerHeaders(answer.headers))
  const response = reply.raw.writeHead(answer.statusCode!, reply.getHeaders() as OutgoingHttpHeaders)
  reply.hijack()
  request.bytesOut = 0
  response.write(NOTHING) // sends the head as bytes; flushHeaders would write it as UTF-8, each byte above 127 as two
  const writes = new Writes(response)
  whenEnded(request, () => writes.end())
  try {
    exchange.idleTimeout.restart()
    for await (const bytes of answer as AsyncIterable<Buffer>) {
      exchange.idleTimeout.pause()
      if (!(await writes.taken(bytes))) return
      request.bytesOut += bytes.length
      exchange.idleTimeout.restart()
    }
    response.end()
  } catch (error) {
    if (!isClientGone(error)) request.log.warn({ err: error }, 'upstream broke its answer off')
    response.destroy()
  }
}
