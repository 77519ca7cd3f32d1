import type { FastifyInstance } from 'fastify'
import type { Liveness } from '../../load/liveness.js'

/**
 * Notes each request that begins, on routes that are added from now on. Where this thread hangs, another one can
 * log which request began last in it.
 */
export function noteRequests(app: FastifyInstance, liveness: Liveness): void {
  app.addHook('onRoute', (options) => {
    const route = liveness.declareRoute(options.url)
    const hooks = [options.onRequest ?? []].flat()
    options.onRequest = [
      ...hooks,
      (request, _reply, done) => {
        liveness.runs(route, request.id)
        done()
      },
    ]
  })
}
