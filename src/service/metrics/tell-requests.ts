import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { FORMATS } from '../../first-layer/formats/formats.js'
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
    const type = reply.getHeader('content-type')
    const hasNone = end.brokenOff && !reply.raw.headersSent
    metrics.count({
      method: known ? request.method : 'other',
      route: end.route ?? 'none',
      status: end.status,
      format: hasNone || type === undefined ? 'none' : formatName(String(type)),
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

function routeFormats(media: Media | undefined): readonly string[] {
  if (media?.produces === 'tensors') return FORMATS.map(({ name }) => name)
  const types = media?.produces ?? ['application/json']
  return [...new Set(types.map((type) => formatName(type)))]
}

/** `text/plain; charset=utf-8` → `text`. */
function formatName(type: string): string {
  return NAMES.get(type) ?? NAMES.get(type.split(';', 1)[0]) ?? 'other'
}

/** The log's line of a request. */
export function logRequest(request: FastifyRequest, _reply: FastifyReply, end: RequestEnd): void {
  const { milliseconds } = end
  const { tokenizeMs, format, numTokens, numWindows } = request.figures ?? {} // pino leaves undefined fields out
  request.log.info(
    {
      method: request.method,
      route: end.route ?? null,
      status: end.status,
      caller: request.caller?.name,
      code: request.errorCode,
      param: request.errorParam ? loggedParam(request.errorParam, request.routeOptions) : undefined,
      model: request.usedModel,
      format,
      numTokens,
      numWindows,
      bytesOut: end.bytes,
      tokenizeMs: tokenizeMs && Number(tokenizeMs.toFixed(3)),
      embedAndWriteMs: tokenizeMs && Number((milliseconds - tokenizeMs).toFixed(3)),
      totalMs: Number(milliseconds.toFixed(3)),
      brokenOff: end.brokenOff || undefined,
    },
    'request',
  )
}

/**
 * The part of an error's `param` that may stand in the log: `text.1.5` → `text.1.5`, `position_embedding.x` →
 * `position_embedding`. A name that is no field of the route is the caller's text, which the log must not have.
 */
function loggedParam(param: string, { schema }: FastifyRequest['routeOptions']): string | undefined {
  const [field = '', ...path] = param.split('.')
  const fields = [schema?.body, schema?.querystring] as ({ shape?: object } | undefined)[]
  if (!fields.some((each) => each?.shape !== undefined && Object.hasOwn(each.shape, field))) return undefined
  return path.every((part) => /^\d{1,9}$/.test(part)) ? [field, ...path].join('.') : field
}

interface RequestFigures {
  format?: string
  numTokens?: number
  numWindows?: number
  tokenizeMs?: number
}

declare module 'fastify' {
  interface FastifyRequest {
    figures?: RequestFigures
  }
}
