import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The answer to the request that came last on a connection. */
const newest = Symbol('newest answer')

type AnsweredSocket = Socket & { [newest]?: ServerResponse }

/**
 * Adds `Connection: close` to an answer whose head is not written yet; Node closes the connection after it. Where
 * requests were pipelined, only the answer to the last one gets it: Node would drop the requests that follow.
 */
export function makeLast(response: ServerResponse): void {
  const socket: AnsweredSocket = response.req.socket
  socket[newest] = response
  const { writeHead } = response
  // Node calls `writeHead` too, where no handler has called it.
  response.writeHead = (...given: unknown[]) => {
    if (socket[newest] === response) response.shouldKeepAlive = false
    return writeHead.apply(response, given as never)
  }
}
