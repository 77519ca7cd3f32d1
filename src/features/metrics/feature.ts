import type { Feature } from '../../service/feature.js'
import { checkSeesAll } from '../../service/request/checks/callers.js'

/** Prometheus' text format. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** `GET /metrics`, for Prometheus: for callers of all models, since it names all. */
export const metrics: Feature = {
  name: 'metrics',
  routes(app, { metricsText }) {
    const media = { produces: ['text/plain', 'text/plain;version=0.0.4'] }
    app.get(
      '/metrics',
      { schema: { operationId: 'getMetrics' }, config: { media, isForOperators: true, isWatched: false } },
      async (request, reply) => {
        checkSeesAll(request)
        return reply.type(CONTENT_TYPE).send(await metricsText())
      },
    )
  },
}
