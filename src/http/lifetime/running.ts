import type { FastifyInstance } from 'fastify'
import type { Life } from '../../load/life.js'

/** Notes which request begins, on each route that is added from now on: where a thread hangs, the others can tell. */
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
