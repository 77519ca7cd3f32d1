import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestEnd } from '../../request/request-end.js'
import { loggedParam } from './logged-param.js'

/** Logs one line for a request that has ended, with the caller's name, never the key. */
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
      param: request.errorParam ? loggedParam(request.errorParam) : undefined,
      model: request.lease?.model.spec.id,
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
