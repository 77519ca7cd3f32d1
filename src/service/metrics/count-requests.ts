import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { FORMATS } from '../answer/formats/registry.js'
import type { RequestEnd } from '../answer/request-end.js'
import type { Media } from '../request/checks/head-checks.js'
import { METHODS } from '../request/checks/method-not-allowed.js'
import type { Metrics } from './metrics.js'

/** Puts the counters of each route that is added into the metrics at zero. */
export function declareRoutes(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.methodNotAllowed || method === 'OPTIONS') return
    for (const each of [method].flat()) metrics.declareRoute(each, url, routeFormats(config?.media))
  })
}

export function countRequest(metrics: Metrics) {
  return (request: FastifyRequest, reply: FastifyReply, end: RequestEnd): void => {
    const known = (METHODS as readonly string[]).includes(request.method)
    const { caller, errorCode, figures, usedModel } = request
    const tokens = figures?.numTokens ?? 0
    metrics.count({
      method: known ? request.method : 'other',
      route: end.route ?? 'none',
      status: end.status,
      format: end.brokenOff && !reply.raw.headersSent ? 'none' : answerFormat(reply),
      seconds: end.milliseconds / 1000,
      bytes: end.bytes,
      tokens,
      windows: figures?.numWindows ?? 0,
    })
    if (usedModel !== undefined) metrics.countModel(usedModel, tokens)
    if (caller !== undefined) metrics.countCaller(caller.name, tokens)
    if (errorCode !== undefined) metrics.countError(errorCode)
  }
}

/** Media type → the name of its format in metrics. All other media types are `other`. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...FORMATS.flatMap(({ name, mediaTypes }) => mediaTypes.map((type) => [type, name] as const)),
  ['text/plain', 'text'],
  ['text/html', 'html'],
  ['application/yaml', 'yaml'],
])

function answerFormat(reply: FastifyReply): string {
  const type = reply.getHeader('content-type')
  return type === undefined ? 'none' : formatName(String(type))
}

function routeFormats(media: Media | undefined): readonly string[] {
  if (media?.produces === 'tensors') return FORMATS.map(({ name }) => name)
  const types = media?.produces ?? ['application/json']
  return [...new Set(types.map((type) => formatName(type)))]
}

/** `text/plain; charset=utf-8` → `text`. */
function formatName(type: string): string {
  return NAMES.get(type) ?? NAMES.get(type.split(';', 1)[0]) ?? 'other'
}
