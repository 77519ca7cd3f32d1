import { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The answer to the request that came last on a connection. */
const newest = Symbol('newest answer')

type AnsweredSocket = Socket & { [newest]?: ServerResponse }

/**
 * For the framework's server options: answers whose head goes out while the service stops say `Connection: close`, and
 * Node closes the connection after them. Where requests were pipelined the last one's says it: Node would throw away
 * those that are already here.
 */
export function lastAnswers(isStopping: () => boolean) {
  class Answer extends ServerResponse {
    constructor(...given: ConstructorParameters<typeof ServerResponse>) {
      super(...given)
      ;(this.req.socket as AnsweredSocket)[newest] = this
    }

    /** Called by Node too, where nobody has written the head. */
    override writeHead(status: number, ...rest: unknown[]): this {
      if (isStopping() && (this.req.socket as AnsweredSocket)[newest] === this) this.shouldKeepAlive = false
      return super.writeHead(status, ...(rest as []))
    }
  }
  return { ServerResponse: Answer as typeof ServerResponse }
}
