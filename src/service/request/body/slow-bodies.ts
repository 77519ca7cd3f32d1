import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { InletError } from '../../answer/error-table.js'

/** Connections whose present request may take as long as its body comes. */
const slow = new WeakSet<Socket>()

/** A body of which fewer bytes come in so many seconds is ended: it would hold its room from others. */
export const LEAST_BYTES = 10_000
export const LEAST_BYTES_SECONDS = 60

/** Whether the request that this connection sends may take longer than others. */
export function sendsSlowBody(socket: Socket): boolean {
  return slow.has(socket)
}

/** A body that may take longer than a request's deadline, which begins when it is there: {@link endIfSlow} ends one that does not come. */
export async function* slowBody(
  request: FastifyRequest,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const { socket } = request.raw
  slow.add(socket)
  try {
    for await (const chunk of chunks) {
      request.deadline.renew()
      yield chunk
    }
    request.deadline.renew()
  } finally {
    slow.delete(socket)
  }
}

/**
 * Aborts the request's claim with `request_timeout` where a large body comes too slowly. Time in which it is not read, for
 * want of room or of a turn, does not count.
 */
export function endIfSlow({ raw, claim }: Pick<FastifyRequest, 'raw' | 'claim'>): void {
  let [bytes, isRead] = [0, true]
  const look = () => {
    if (isRead && bytes < LEAST_BYTES) claim.abort(tooSlow(bytes))
    ;[bytes, isRead] = [0, !raw.isPaused()]
  }
  const timer = setInterval(look, 1000 * LEAST_BYTES_SECONDS).unref()
  const count = (chunk: Buffer) => {
    bytes += chunk.length
  }
  raw.on('data', count).on('pause', () => {
    isRead = false
  })
  const forget = claim.onAbort(() => clearInterval(timer))
  raw.once('end', () => {
    clearInterval(timer)
    forget()
  })
}

function tooSlow(bytes: number): InletError {
  const rule = `At least ${LEAST_BYTES} bytes of the body must come in ${LEAST_BYTES_SECONDS} s`
  return new InletError('request_timeout', `${rule}. Came: ${bytes}`)
}
