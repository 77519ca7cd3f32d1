import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestTrace, Tracing } from '../../tracing/tracing.js'
import { METHODS } from '../checks/method-not-allowed.js'
import type { RequestEnd } from '../lifetime/request-end.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's trace, where requests are traced. */
    trace?: RequestTrace | undefined
  }
}

/**
 * Routes that probes and scrapes call every few seconds, which are not traced. Matched against the path as it came:
 * Fastify makes a new object each time that it is asked for the route.
 */
const UNTRACED = /^\/(health\/|metrics(\?|$)|v2\/health\/)/

/**
 * Begins a trace for each request, below the caller's `traceparent` where it gives one. The answer names the trace in
 * `traceresponse` (W3C Trace Context, level 2), each line of the request's log in `traceId` and `spanId`.
 */
export function addTraces(app: FastifyInstance, tracing: Tracing | undefined): void {
  if (tracing === undefined) return
  app.addHook('onRequest', (request, reply, done) => {
    if (!UNTRACED.test(request.raw.url ?? '')) begin(tracing, request, reply)
    done()
  })
}

function begin(tracing: Tracing, request: FastifyRequest, reply: FastifyReply): void {
  const trace = tracing.begin(request.headers)
  if (trace === undefined) return
  request.trace = trace
  if (!trace.isSampled && !trace.isGiven) return // the trace is kept nowhere
  const { traceId, spanId } = trace
  request.log = request.log.child({ traceId, spanId })
  reply.log = request.log
  reply.header('traceresponse', trace.headers().traceparent)
}

/**
 * Ends the trace of a request. Names of attributes that have no `inlet.` before them: OpenTelemetry's semantic
 * conventions for HTTP, 1.45. `url.path` is the route's pattern: the caller's own path may hold anything.
 */
export function endTrace(request: FastifyRequest, reply: FastifyReply, end: RequestEnd): void {
  const { trace, figures } = request
  if (trace?.isSampled !== true) return
  const route = end.route
  const isKnown = (METHODS as readonly string[]).includes(request.method)
  const method = isKnown ? request.method : 'HTTP'
  const { headersSent } = reply.raw
  const hasFailed = headersSent && end.status >= 500
  const facts = {
    'http.request.method': isKnown ? method : '_OTHER',
    'http.route': route,
    'url.path': route,
    'url.scheme': request.protocol,
    'network.protocol.version': request.raw.httpVersion,
    'http.response.status_code': headersSent ? end.status : undefined,
    'http.response.body.size': end.bytes,
    'error.type': end.brokenOff ? 'broken_off' : hasFailed ? request.errorCode : undefined,
    'inlet.code': request.errorCode,
    'inlet.caller': request.caller?.name,
    'inlet.model': request.lease?.model.spec.id,
    'inlet.format': figures?.format,
    'inlet.num_tokens': figures?.numTokens,
    'inlet.num_windows': figures?.numWindows,
    'inlet.waited_ms': request.claim?.waitedMs || undefined,
  }
  trace.end(route === undefined ? method : `${method} ${route}`, facts, hasFailed)
}
