import type { FastifyInstance, FastifyRequest } from 'fastify'
import { COUNT_HEADERS } from '../../answer/counts.js'
import { ROUTE_METHODS } from '../../process/connections/client-errors.js'

/** Headers of answers that a page's script may read. */
export const EXPOSED_HEADERS = [
  'Content-Length',
  'Retry-After',
  'Server-Timing',
  'WWW-Authenticate',
  'ETag',
  'Accept-Ranges',
  'Content-Range',
  'Link',
  'Location',
  'X-Batch-Index',
  'X-Epoch',
  'X-Recipe-Id',
  'X-Model-Version',
  ...Object.values(COUNT_HEADERS).toSorted(),
  'X-Request-Id',
  'X-Tensor-Dtype',
  'X-Tensor-Name',
  'X-Tensor-Shape',
]

const EXPOSED = EXPOSED_HEADERS.join(', ')
/** Request headers of this API that a page may send only where the preflight's answer lists them. */
const REQUEST_HEADERS =
  'Accept, Authorization, Content-Encoding, Content-Type, If-Match, If-None-Match, If-Range, Range, traceparent, tracestate, X-Part, X-Request-Id, X-Request-Timeout, X-Sequence, X-Writer'
const MAX_AGE_SECONDS = 600

/**
 * Lets pages of these origins call the service; without origins, only pages of the service's own origin can.
 * The service answers a preflight without asking for a key, since browsers send none with it. Any other
 * OPTIONS is answered 405. Cookies are never allowed.
 * Source: the CORS protocol of the Fetch standard.
 */
export function addCors(app: FastifyInstance, origins: readonly string[] = []): void {
  if (origins.length === 0) return
  const anyOrigin = origins.includes('*')
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    if (!anyOrigin) reply.header('vary', 'Origin')
    if (origin === undefined || !(anyOrigin || origins.includes(origin))) return done()
    reply.header('access-control-allow-origin', anyOrigin ? '*' : origin)
    if (!isPreflight(request)) {
      reply.header('access-control-expose-headers', EXPOSED)
      return done()
    }
    reply.header('access-control-allow-methods', ROUTE_METHODS)
    reply.header('access-control-allow-headers', REQUEST_HEADERS)
    reply.header('access-control-max-age', MAX_AGE_SECONDS)
    reply.code(204).send()
  })
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
