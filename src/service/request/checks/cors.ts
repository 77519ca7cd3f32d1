import type { FastifyInstance } from 'fastify'
import { vary } from './head-checks.js'

/** Request headers that a page may send only if a preflight's answer lists them, beside those of features. */
const REQUEST_HEADERS = [
  ...['Accept', 'Authorization', 'Content-Encoding', 'Content-Type', 'If-Match', 'If-None-Match'],
  ...['If-Range', 'Range', 'X-Request-Id', 'X-Request-Timeout'],
]
const ROUTE_METHODS = 'GET, HEAD, POST, PUT, DELETE'
const MAX_AGE_SECONDS = 600

/**
 * Lets pages of these origins call the service; without origins, only pages of the service's own origin can.
 * The service answers a preflight without asking for a key, since browsers send none with it. Any other
 * OPTIONS is answered 405. Cookies are never allowed.
 * Source: the CORS protocol of the Fetch standard.
 */
export function addCors(
  app: FastifyInstance,
  origins: readonly string[] = [],
  { exposed: answers, read }: { exposed: readonly string[]; read: readonly string[] },
): void {
  if (origins.length === 0) return
  const anyOrigin = origins.includes('*')
  const exposed = answers.join(', ')
  const accepted = [...REQUEST_HEADERS, ...read].sort((a, b) => a.localeCompare(b)).join(', ')
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    if (!anyOrigin) vary(reply, 'Origin')
    if (origin === undefined || !(anyOrigin || origins.includes(origin))) return done()
    reply.header('access-control-allow-origin', anyOrigin ? '*' : origin)
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      reply.header('access-control-expose-headers', exposed)
      return done()
    }
    reply.header('access-control-allow-methods', ROUTE_METHODS)
    reply.header(
      'access-control-allow-headers',
      allowed(accepted, request.headers['access-control-request-headers']),
    )
    reply.header('access-control-max-age', MAX_AGE_SECONDS)
    reply.code(204).send()
  })
}

/** Ours, and those that a page asks for, as an SDK's own (`x-stainless-…`): what we do not know we do not read. */
function allowed(ours: string, asked = ''): string {
  const names = asked.split(',').map((name) => name.trim())
  const known = ours.toLowerCase().split(', ')
  const more = names.filter(
    (name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !known.includes(name.toLowerCase()),
  )
  return [ours, ...more].join(', ')
}
