import type { FastifyInstance } from 'fastify'

/**
 * What a browser is told of every answer. Answers are data, not pages: they run nothing and are shown in no
 * frame. Whether the service is reached by TLS is the business of whoever terminates it: no HSTS here.
 */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const

/** A page (/docs) runs its own scripts and styles, and calls this service, no other. */
const PAGE_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "worker-src 'self' blob:",
  "frame-ancestors 'none'",
].join('; ')

/** Adds them by hand: of what a package for pages sends, an interface needs these. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_, reply, done) => {
    reply.headers(HEADERS)
    done()
  })
  app.addHook('onSend', async (_, reply) => {
    const isPage = String(reply.getHeader('content-type') ?? '').startsWith('text/html')
    const isDefault = reply.getHeader('content-security-policy') === HEADERS['content-security-policy']
    if (isPage && isDefault) reply.header('content-security-policy', PAGE_POLICY)
  })
}
