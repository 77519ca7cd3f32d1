import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** What is echoed: an id that is safe in a header and a log line. */
const SAFE = /^[\w.:/+=@-]{1,128}$/

/** The caller's `X-Request-Id`, or one of our own. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && SAFE.test(given) ? given : randomUUID()
}
