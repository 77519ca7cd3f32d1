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
} as const
const POLICY = 'content-security-policy'
const NOTHING_RUNS = "default-src 'none'; frame-ancestors 'none'"

/** Adds the header of all to an answer that no hook sees: that to a malformed request line. */
export function identify({ id }: FastifyRequest, reply: FastifyReply): void {
  reply.headers(headersOfAll(id))
}

/**
 * Adds the headers of all, and those for browsers, just before an answer's head is written. Where the framework writes it,
 * a hook calls this; whoever writes a head past the framework calls it too. Without a package: packages for pages send many
 * headers that an API does not need.
 */
export function completeHead(request: FastifyRequest, reply: FastifyReply): void {
  identify(request, reply)
  reply.headers(FOR_BROWSERS)
  if (request.server.isStopping()) reply.header('connection', 'close')
  if (!reply.hasHeader(POLICY)) reply.header(POLICY, NOTHING_RUNS)
}

/** Adds them to every answer that the framework sends. */
export function addEveryAnswer(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _body, done) => {
    completeHead(request, reply)
    done()
  })
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the service stops: each answer is the last on its connection. */
    isStopping(): boolean
  }
}
