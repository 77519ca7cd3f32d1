import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Liveness } from '../process/liveness.js'

/** The headers of every answer, also to what is no HTTP request. A header for all answers is added here. */
export const headersOfAll = (id: string) => ({ 'x-request-id': id })

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

/** Adds `headersOfAll`. Called for answers to malformed paths too, which no hook sees. */
export function identify({ id }: FastifyRequest, reply: FastifyReply): void {
  reply.headers(headersOfAll(id))
}

/**
 * Adds the headers of all, and those for browsers, to every answer that the framework sends. Without a
 * package: packages for pages send many headers that an API does not need.
 */
export function addEveryAnswer(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _body, done) => {
    // One by one: an object spread from two takes as long as all of the headers.
    reply.headers(headersOfAll(request.id)).headers(FOR_BROWSERS)
    if (app.liveness.isStopping) reply.header('connection', 'close')
    if (!reply.hasHeader(POLICY)) reply.header(POLICY, NOTHING_RUNS)
    done()
  })
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Where the service stops, each answer is the last on its connection. */
    liveness: Liveness
  }
}

/** A caller's id that is safe in a header and in a log line. */
const SAFE = /^[\w.:/+=@-]{1,128}$/

/** The caller's `X-Request-Id` where it is safe, else a new UUID. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && SAFE.test(given) ? given : randomUUID()
}
