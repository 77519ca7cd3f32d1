import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** A caller's id that is safe in a header and in a log line. */
const SAFE = /^[\w.:/+=@-]{1,128}$/

/** The caller's `X-Request-Id` where it is safe, else a new UUID. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && SAFE.test(given) ? given : randomUUID()
}
