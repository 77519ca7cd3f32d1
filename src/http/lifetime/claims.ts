import type { FastifyInstance, FastifyRequest } from 'fastify'
import { InletError, shown } from '../../errors.js'
import type { Claim } from '../../load/claim.js'
import type { OpenClaim, OpenClaims } from '../../load/open-claims.js'
import { SMALL_BODY_BYTES } from '../../load/request-claim.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory that the request has reserved, and whether its answer is still wanted. */
    claim: Claim
    /** The claim's entry among all open ones, until the request has ended. */
    openClaim?: OpenClaim | undefined
    /** Lets the request's usual time begin anew. */
    renewDeadline(): void
  }
}

/** Decimal seconds, for `X-Request-Timeout`. */
const SECONDS = /^\d{1,9}(\.\d{1,9})?$/

/**
 * Gives each request its claim and a deadline, which `X-Request-Timeout` may shorten.
 *
 * @throws InletError `invalid_request` (in the hook) where that header is not decimal seconds above 0
 */
export function addClaims(app: FastifyInstance, claims: OpenClaims): void {
  app.decorateRequest('renewDeadline', function renewDeadline(this: FastifyRequest) {
    if (this.openClaim !== undefined) claims.renew(this.openClaim)
  })
  app.addHook('onRequest', (request, reply, done) => {
    const open = claims.begin(reply.raw, hasLargeBody(request))
    request.claim = open.claim
    request.openClaim = open
    const asked = request.headers['x-request-timeout']
    if (asked !== undefined) {
      claims.shorten(open, 1000 * secondsOf(asked), `${asked} s, as X-Request-Timeout asks`)
    }
    done()
  })
  const stop = claims.watch()
  app.addHook('onClose', async () => stop())
}

/** Gives back all that a request holds: its model's lease, and its claim unless an earlier hook refused the request. */
export function endHolding(claims: OpenClaims) {
  return (request: FastifyRequest): void => {
    request.lease?.release()
    const { openClaim } = request
    if (openClaim === undefined) return
    request.openClaim = undefined
    claims.end(openClaim)
  }
}

function secondsOf(header: string | string[]): number {
  const seconds = Number(header)
  if (SECONDS.test(String(header)) && seconds > 0) return seconds
  const message = `\`X-Request-Timeout\` must be decimal seconds above 0, such as 2.5. Given: ${shown(header)}`
  throw new InletError('invalid_request', message, 'x-request-timeout')
}

/** Whether the body is, or may be, large: the length of a chunked or packed one is not known before its end. */
function hasLargeBody({ headers }: FastifyRequest): boolean {
  if (headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined) return true
  return Number(headers['content-length'] ?? 0) > SMALL_BODY_BYTES
}
