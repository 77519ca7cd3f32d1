import type { FastifyInstance } from 'fastify'

/** What a request did, for its one log line: counts and times, never the text. */
export interface RequestFigures {
  format?: string
  numTokens?: number
  numWindows?: number
  tokenizeMs?: number
}

declare module 'fastify' {
  interface FastifyRequest {
    figures: RequestFigures
  }
}

/** One line a request, when its answer has ended. */
export function addRequestLog(app: FastifyInstance): void {
  app.decorateRequest('figures')
  app.addHook('onRequest', async (request) => {
    request.figures = {}
  })
  app.addHook('onResponse', async (request, reply) => {
    const totalMs = round(reply.elapsedTime)
    const { tokenizeMs, ...figures } = request.figures
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.raw.statusCode,
        ...(request.errorCode === undefined ? {} : { code: request.errorCode }),
        ...figures,
        ...(request.bytesOut === undefined ? {} : { bytesOut: request.bytesOut }),
        ...(tokenizeMs === undefined
          ? {}
          : { tokenizeMs: round(tokenizeMs), embedAndWriteMs: round(totalMs - tokenizeMs) }),
        totalMs,
        ...(reply.raw.writableFinished ? {} : { brokenOff: true }),
      },
      'request',
    )
  })
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
