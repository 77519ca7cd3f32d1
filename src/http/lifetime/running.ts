import type { FastifyInstance } from 'fastify'
import type { Life } from '../../load/life.js'

/**
 * Notes each request that begins, on routes that are added from now on. Where this thread hangs, another one can
 * log which request began last in it.
 */
export function noteRequests(app: FastifyInstance, life: Life): void {
  app.addHook('onRoute', (options) => {
    const route = life.declareRoute(options.url)
    const hooks = [options.onRequest ?? []].flat()
    options.onRequest = [
      ...hooks,
      (request, _reply, done) => {
        life.runs(route, request.id)
        done()
      },
    ]
  })
}
