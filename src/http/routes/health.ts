import type { FastifyInstance } from 'fastify'
import { InletError } from '../../errors.js'

/** `GET /health/live`: the process answers. `GET /health/ready`: the tables are there. */
export function addHealthRoutes(app: FastifyInstance, isReady: () => boolean): void {
  app.get('/health/live', () => ({ status: 'live' }))
  app.get('/health/ready', () => {
    if (isReady()) return { status: 'ready' }
    throw new InletError('loading', 'The tables are being made. Try again.', null, { 'retry-after': '1' })
  })
}
