import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestEnd } from '../answer/request-end.js'

export function logRequest(request: FastifyRequest, _reply: FastifyReply, end: RequestEnd): void {
  const totalMs = round(end.milliseconds)
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
      tokenizeMs: tokenizeMs && round(tokenizeMs),
      embedAndWriteMs: tokenizeMs && round(totalMs - tokenizeMs),
      totalMs,
      brokenOff: end.brokenOff || undefined,
    },
    'request',
  )
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
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
