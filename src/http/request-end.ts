import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** The client went away before an answer began; the number is nginx's. */
const CLIENT_CLOSED_REQUEST = 499

/** How a request ended. */
export interface RequestEnd {
  readonly status: number
  readonly milliseconds: number
  /** Of the answer's body, as far as it was taken. */
  readonly bytes: number
  /** The answer did not reach its end. */
  readonly brokenOff: boolean
}

type Listener = (request: FastifyRequest, reply: FastifyReply, end: RequestEnd) => void

/**
 * Tells of each request's end once, whether its answer was written to the last byte or broke off: the
 * framework's own hook knows only the first.
 *
 * @returns what makes a request known that reaches no hook
 */
export function addRequestEnd(
  app: FastifyInstance,
  listeners: readonly Listener[],
): (request: FastifyRequest, reply: FastifyReply) => void {
  const watch = (request: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now()
    reply.raw.once('close', () => {
      const end = requestEnd(request, reply, performance.now() - started)
      for (const listener of listeners) listener(request, reply, end)
    })
  }
  app.addHook('onRequest', (request, reply, done) => {
    watch(request, reply)
    done()
  })
  return watch
}

function requestEnd(request: FastifyRequest, reply: FastifyReply, milliseconds: number): RequestEnd {
  const { headersSent, statusCode, writableFinished } = reply.raw
  const status = headersSent ? statusCode : CLIENT_CLOSED_REQUEST
  return { status, milliseconds, bytes: bytesOut(request, reply), brokenOff: !writableFinished }
}

function bytesOut(request: FastifyRequest, reply: FastifyReply): number {
  if (request.bytesOut !== undefined) return request.bytesOut
  if (request.method === 'HEAD' || !reply.raw.writableFinished) return 0
  return Number(reply.getHeader('content-length') ?? 0)
}
