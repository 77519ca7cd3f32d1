import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Status in logs and metrics where the client left before an answer began; nginx uses the same number. */
const CLIENT_CLOSED_REQUEST = 499

export interface RequestEnd {
  readonly route: string | undefined
  readonly status: number
  readonly milliseconds: number
  readonly bytes: number
  readonly brokenOff: boolean
}

type Listener = (request: FastifyRequest, reply: FastifyReply, end: RequestEnd) => void

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the whole answer was written, or the client has gone. */
    hasEnded: boolean
    atEnd: (() => void)[]
  }
}

/** Calls `act` when the request has ended; at once where it has ended already. */
export function whenEnded(request: FastifyRequest, act: () => void): void {
  if (request.hasEnded) act()
  else request.atEnd.push(act)
}

/** Connection → for each of its open requests, the function that ends it. */
const openRequests = new WeakMap<Socket, Map<FastifyReply, () => void>>()

export function openRequestsOn(socket: Socket): number {
  return openRequests.get(socket)?.size ?? 0
}

/** Whether an answer on this connection has begun, and whether it is written to its end. */
export function answerOn(socket: Socket): 'none' | 'begun' | 'written' {
  const begun = [...(openRequests.get(socket)?.keys() ?? [])].filter(({ raw }) => raw.headersSent)
  if (begun.length === 0) return 'none'
  return begun.every(({ raw }) => raw.writableEnded) ? 'written' : 'begun'
}

/**
 * The open requests of a connection, which end when it closes. Node itself tells only the answer that it is
 * writing, not the pipelined ones that wait behind it.
 */
function openOn(socket: Socket): Map<FastifyReply, () => void> {
  const known = openRequests.get(socket)
  if (known !== undefined) return known
  const open = new Map<FastifyReply, () => void>()
  openRequests.set(socket, open)
  socket.once('close', () => {
    for (const end of open.values()) end()
  })
  return open
}

/**
 * Makes the function that watches a request. It calls the listeners once at the request's end, whether its
 * answer was written to the last byte or broke off; the framework's own hook runs only after a whole answer.
 */
export function endWatcher(listeners: readonly Listener[]) {
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const started = performance.now()
    const open = openOn(request.raw.socket)
    const onEnd = () => {
      if (!open.delete(reply)) return // the request has ended already
      const end = requestEnd(request, reply, performance.now() - started, isWhole)
      request.hasEnded = true
      for (const listener of listeners) listener(request, reply, end)
      for (const act of request.atEnd) act()
    }
    request.hasEnded = false
    request.atEnd = []
    open.set(reply, onEnd)
    let isWhole = false
    reply.raw.once('finish', () => {
      isWhole = true
    })
    reply.raw.once('close', onEnd)
  }
}

export function addRequestEnd(app: FastifyInstance, watch: ReturnType<typeof endWatcher>): void {
  for (const name of ['hasEnded', 'atEnd', 'bytesOut', 'figures']) app.decorateRequest(name)
  app.addHook('onRequest', (request, reply, done) => {
    watch(request, reply)
    done()
  })
}

function requestEnd(
  request: FastifyRequest,
  reply: FastifyReply,
  milliseconds: number,
  isWhole: boolean,
): RequestEnd {
  const { headersSent, statusCode } = reply.raw
  const status = headersSent ? statusCode : CLIENT_CLOSED_REQUEST
  const route = request.routeOptions?.url
  const bytes =
    request.bytesOut ??
    (isWhole && request.method !== 'HEAD' ? Number(reply.getHeader('content-length') ?? 0) : 0)
  return { route, status, milliseconds, bytes, brokenOff: !isWhole }
}
