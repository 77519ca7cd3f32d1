import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { TraceHeaders } from '../../tracing/tracing.js'

/** Headers of one connection, never passed on, beside those that `Connection` names. Source: RFC 9110 §7.6.1. */
const HOP_BY_HOP = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]

/** Request headers for this service alone: the caller's rights, the body's transfer. */
const FOR_THIS_SERVICE = [
  ...['authorization', 'cookie', 'host', 'expect', 'x-request-timeout', 'x-request-id'],
  ...['content-length', 'content-encoding'],
]

/** Answer headers by which a site rules browsers. Callers' browsers see this service's site, not the upstream's. */
const FOR_BROWSERS = [
  ...['content-security-policy', 'content-security-policy-report-only', 'x-frame-options'],
  ...['x-content-type-options', 'referrer-policy', 'permissions-policy', 'clear-site-data'],
  ...['strict-transport-security', 'alt-svc', 'nel', 'report-to', 'reporting-endpoints'],
]

/**
 * Answer headers that this service sets for its own callers. The upstream's limits are those of the one key that this service has there:
 * they would replace what is left to the caller.
 */
const OF_THIS_SERVICE = ['x-request-id', 'server-timing', 'traceresponse', 'ratelimit', 'ratelimit-policy']

/** The headers of a caller's request as the upstream gets them. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  own: {
    readonly key: string | undefined
    readonly requestId: string
    readonly length: number
    readonly trace?: TraceHeaders
  },
): OutgoingHttpHeaders {
  const passed = withoutHops(headers, FOR_THIS_SERVICE)
  passed.via = [headers.via, '1.1 inlet'].filter(Boolean).join(', ')
  passed['x-request-id'] = own.requestId
  passed['content-length'] = own.length
  if (own.trace !== undefined) {
    delete passed.tracestate // it belongs to the caller's traceparent, which may be none
    Object.assign(passed, own.trace)
  }
  if (own.key !== undefined) passed.authorization = `Bearer ${own.key}`
  return passed
}

/** The headers of the upstream's answer as the caller gets them. */
export function answerHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const passed = withoutHops(headers, [...OF_THIS_SERVICE, ...FOR_BROWSERS])
  for (const name of Object.keys(passed)) if (name.startsWith('access-control-')) delete passed[name]
  return passed as Record<string, string | string[]>
}

function withoutHops(headers: IncomingHttpHeaders, others: readonly string[]): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const dropped = new Set([...HOP_BY_HOP, ...others, ...named])
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name)))
}
