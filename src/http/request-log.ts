import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RequestEnd } from './request-end.js'

/** What a request did, for its one log line: counts and times, never the text. */
export interface RequestFigures {
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

export function addFigures(app: FastifyInstance): void {
  app.decorateRequest('figures')
}

/** One line a request, when its answer has ended. The caller's name is in it, never the key. */
export function logRequest(request: FastifyRequest, _reply: FastifyReply, end: RequestEnd): void {
  const totalMs = round(end.milliseconds)
  const { tokenizeMs, ...figures } = request.figures ?? {}
  request.log.info(
    {
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: end.status,
      ...(request.caller === undefined ? {} : { caller: request.caller }),
      ...(request.errorCode === undefined ? {} : { code: request.errorCode }),
      ...figures,
      bytesOut: end.bytes,
      ...(tokenizeMs === undefined
        ? {}
        : { tokenizeMs: round(tokenizeMs), embedAndWriteMs: round(totalMs - tokenizeMs) }),
      totalMs,
      ...(end.brokenOff ? { brokenOff: true } : {}),
    },
    'request',
  )
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
