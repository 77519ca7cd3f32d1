import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The answer to the request that came last on a connection. */
const newest = Symbol('newest answer')

type AnsweredSocket = Socket & { [newest]?: ServerResponse }

/**
 * Lets an answer whose head is not written yet say `Connection: close`; Node closes the connection after it. Where
 * requests were pipelined only the last one's says it: Node would throw away those that are already here.
 */
export function makeLast(response: ServerResponse): void {
  const socket: AnsweredSocket = response.req.socket
  socket[newest] = response
  const { writeHead } = response
  // Node calls it too, where nobody has written the head.
  response.writeHead = (...given: unknown[]) => {
    if (socket[newest] === response) response.shouldKeepAlive = false
    return writeHead.apply(response, given as never)
  }
}
