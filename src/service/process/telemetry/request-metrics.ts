import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { FORMATS } from '../../answer/formats/registry.js'
import type { Media } from '../../request/checks/head-checks.js'
import { METHODS } from '../../request/checks/method-not-allowed.js'
import type { RequestEnd } from '../../request/request-end.js'
import type { Metrics } from '../metrics/metrics.js'

/** Declares each route that is added from now on (`Metrics.declareRoute`). */
export function declareRoutes(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.methodNotAllowed || method === 'OPTIONS') return
    for (const each of [method].flat()) metrics.declareRoute(each, url, routeFormats(config?.media))
  })
}

/** Makes the listener that counts each request when it ends. */
export function countRequest(metrics: Metrics) {
  return (request: FastifyRequest, reply: FastifyReply, end: RequestEnd): void => {
    const known = (METHODS as readonly string[]).includes(request.method)
    metrics.count({
      method: known ? request.method : 'other',
      route: end.route ?? 'none',
      status: end.status,
      format: end.brokenOff && !reply.raw.headersSent ? 'none' : answerFormat(reply),
      seconds: end.milliseconds / 1000,
      bytes: end.bytes,
      tokens: request.figures?.numTokens ?? 0,
      windows: request.figures?.numWindows ?? 0,
    })
    const { caller, lease } = request
    const tokens = request.figures?.numTokens ?? 0
    if (lease !== undefined) metrics.countModel(lease.model.spec.id, tokens)
    if (caller !== undefined) metrics.countCaller(caller.name, tokens)
    if (request.errorCode !== undefined) metrics.countError(request.errorCode)
  }
}

/** Media type → the name of its format in metrics. All other media types are `other`. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...FORMATS.flatMap(({ name, mediaTypes }) => mediaTypes.map((type) => [type, name] as const)),
  ['text/plain', 'text'],
  ['text/html', 'html'],
  ['application/yaml', 'yaml'],
])

/** The name of an answer's format, from a closed list. */
export function answerFormat(reply: FastifyReply): string {
  const type = reply.getHeader('content-type')
  if (type === undefined) return 'none'
  return formatName(String(type))
}

/** Every format that a route can answer in. */
export function routeFormats(media: Media | undefined): readonly string[] {
  if (media?.produces === 'tensors') return FORMATS.map(({ name }) => name)
  const types = media?.produces ?? ['application/json']
  return [...new Set(types.map((type) => formatName(type)))]
}

/** `text/plain; charset=utf-8` → `text`. */
function formatName(type: string): string {
  return NAMES.get(type) ?? NAMES.get(type.split(';', 1)[0]) ?? 'other'
}
