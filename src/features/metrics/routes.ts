import type { FeatureApp } from '../../service/feature.js'
import { checkSeesAll } from '../../service/request/checks/callers.js'

/** Prometheus' text format. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** `GET /metrics`: for callers of all models, since it names all. */
export function addMetricsRoute(app: FeatureApp, text: () => Promise<string>): void {
  const options = {
    schema: { operationId: 'getMetrics' },
    config: { media: { produces: ['text/plain', 'text/plain;version=0.0.4'] } },
  }
  let scrape: Promise<string> | undefined
  app.get('/metrics', options, async (request, reply) => {
    checkSeesAll(request)
    // Requests that come during a scrape share it: a scrape takes milliseconds, and asks every thread.
    scrape ??= text().finally(() => {
      scrape = undefined
    })
    const answer = await scrape
    return reply.type(CONTENT_TYPE).send(answer)
  })
}
