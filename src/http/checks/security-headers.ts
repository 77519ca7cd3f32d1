import type { FastifyInstance } from 'fastify'

/**
 * What a browser is told of every answer. Answers are data, not pages: they run nothing and are shown in no
 * frame, but for the page at /docs, which says what it runs itself. Whether the service is reached by TLS is the
 * business of whoever terminates it: no HSTS here.
 */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const

/** Adds them by hand: of what a package for pages sends, an interface needs these. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_, reply, done) => {
    reply.headers(HEADERS)
    done()
  })
}
