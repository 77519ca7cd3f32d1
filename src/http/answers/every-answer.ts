import type { FastifyInstance } from 'fastify'

/**
 * Headers that tell browsers how to treat every answer. Answers are data, not pages: a browser must run nothing in
 * them and show them in no frame. The page at /docs sets its own policy. There is no HSTS here: the proxy that
 * terminates TLS sends it.
 */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const

/** Adds them without a package: packages for pages send many headers that an API does not need. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_, reply, done) => {
    reply.headers(HEADERS)
    done()
  })
}
