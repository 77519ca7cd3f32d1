import type { FastifyInstance } from 'fastify'

const SWEEP_MS = 50

/**
 * Lets the service close as soon as what runs is finished. The framework closes the connections that are idle
 * at that moment; one whose answer ends later would stay open, as its client was promised, for over a minute.
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
