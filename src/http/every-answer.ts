import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** The headers of every answer, also to what is no HTTP request. A header for all answers is added here. */
export const headersOfAll = (id: string) => ({ 'X-Request-Id': id })

/**
 * Headers that tell browsers how to treat an answer: of all but those that refuse a malformed request line or head, which
 * no browser sends. Answers are data, not pages: a browser must run nothing in them and show them in no frame. The page at
 * /docs sets its own policy. There is no HSTS here: the proxy that terminates TLS sends it.
 */
const FOR_BROWSERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const

/** Begins an answer with the headers of all. */
export function beginAnswer({ id }: FastifyRequest, reply: FastifyReply): void {
  reply.headers(headersOfAll(id))
}

/** Adds them without a package: packages for pages send many headers that an API does not need. */
export function addBrowserHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_, reply, done) => {
    reply.headers(FOR_BROWSERS)
    done()
  })
}
