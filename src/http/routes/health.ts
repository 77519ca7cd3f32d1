import type { FastifyInstance } from 'fastify'
import { InletError } from '../../errors.js'

/** `GET /health/live`: the process answers. `GET /health/ready`: the tables are there. */
export function addHealthRoutes(app: FastifyInstance, isReady: () => boolean): void {
  const options = { config: { open: true } }
  app.get('/health/live', options, () => ({ status: 'live' }))
  app.get('/health/ready', options, () => {
    if (isReady()) return { status: 'ready' }
    throw new InletError('loading', 'The tables are being made. Try again.', null, { 'retry-after': '1' })
  })
}
