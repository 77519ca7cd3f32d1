import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** Connections whose present request may take as long as its body comes. */
const slow = new WeakSet<Socket>()

/** The deadline is renewed at most so often. */
const RENEW_MS = 1000

/** Whether the request that this connection sends may take longer than others. */
export function sendsSlowBody(socket: Socket): boolean {
  return slow.has(socket)
}

/**
 * A body that may take longer than a request's deadline: the time limit restarts with each part that arrives.
 * A client that stops sending meets the deadline.
 */
export async function* slowBody(
  request: FastifyRequest,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const { socket } = request.raw
  slow.add(socket)
  let renewed = performance.now()
  try {
    for await (const chunk of chunks) {
      if (performance.now() - renewed > RENEW_MS) {
        renewed = performance.now()
        request.deadline.renew()
      }
      yield chunk
    }
    request.deadline.renew()
  } finally {
    slow.delete(socket)
  }
}
