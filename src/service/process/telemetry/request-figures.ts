import type {} from 'fastify'

/** Counts and times of a request for its log line and the metrics; never any part of its text. */
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
