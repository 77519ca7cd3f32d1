import type { FastifyInstance } from 'fastify'

/** Prometheus' text format. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** `GET /metrics`. */
export function addMetricsRoute(app: FastifyInstance, text: () => Promise<string>): void {
  const options = { config: { media: { produces: ['text/plain', 'text/plain;version=0.0.4'] } } }
  app.get('/metrics', options, async (_, reply) => {
    reply.type(CONTENT_TYPE)
    return text()
  })
}
