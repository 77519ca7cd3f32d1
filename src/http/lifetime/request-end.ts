import type { Socket } from 'node:net'
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

declare module 'fastify' {
  interface FastifyRequest {
    /** Its answer was written to the last byte, or nobody is there any more to take it. */
    hasEnded: boolean
    /** What is still to be done when it has. */
    atEnd: (() => void)[]
  }
}

/** Calls `act` when a request has ended, at once where it has. */
export function whenEnded(request: FastifyRequest, act: () => void): void {
  if (request.hasEnded) act()
  else request.atEnd.push(act)
}

/** Per connection, what ends the requests that are open on it. */
const openRequests = new WeakMap<Socket, Set<() => void>>()

/** How many requests are being answered on a connection. */
export function openRequestsOn(socket: Socket): number {
  return openRequests.get(socket)?.size ?? 0
}

/**
 * Of a connection that closes Node tells only the answer that is being written: those that wait behind it, where
 * requests were pipelined, hear nothing.
 */
export function openOn(socket: Socket): Set<() => void> {
  const known = openRequests.get(socket)
  if (known !== undefined) return known
  const open = new Set<() => void>()
  openRequests.set(socket, open)
  socket.once('close', () => {
    for (const end of open) end()
  })
  return open
}

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
  app.decorateRequest('hasEnded', false)
  app.decorateRequest('atEnd')
  const watch = (request: FastifyRequest, reply: FastifyReply) => {
    const started = performance.now()
    const open = openOn(request.raw.socket)
    const onEnd = () => {
      if (!open.delete(onEnd)) return // the other one came first
      const end = requestEnd(request, reply, performance.now() - started)
      request.hasEnded = true
      for (const listener of listeners) listener(request, reply, end)
      for (const act of request.atEnd) act()
    }
    request.atEnd = []
    open.add(onEnd)
    reply.raw.once('close', onEnd)
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
