import type { FastifyInstance } from 'fastify'

const SWEEP_MS = 50

/**
 * Lets the service close as soon as its running requests are finished. The framework closes only the connections
 * that are idle when the close begins. A connection whose answer ends later would stay open for its keep-alive
 * time, over a minute; so this hook closes idle connections again and again.
 */
export function addGracefulClose(app: FastifyInstance): void {
  app.addHook('preClose', (done) => {
    if (app.server.listening) {
      const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS)
      app.server.once('close', () => clearInterval(sweep))
    }
    done()
  })
}
