import type { FastifyInstance } from 'fastify'
import { InletError } from '../../errors.js'

/** Paths of Triton's extensions that are not here, and what they are for. */
const PATHS = {
  '/v2/trace/setting': 'trace settings',
  '/v2/models/:model/trace/setting': 'trace settings',
  '/v2/logging': 'log settings',
  '/v2/systemsharedmemory/*': 'shared memory',
  '/v2/cudasharedmemory/*': 'shared memory',
} as const

/** Those paths. */
export const NOT_IMPLEMENTED: readonly string[] = Object.keys(PATHS)

/** Answers 501 where clients ask for extensions that this service does not have. */
export function addNotImplemented(app: FastifyInstance): void {
  for (const [url, what] of Object.entries(PATHS)) {
    app.route({
      url,
      method: ['GET', 'POST'],
      handler() {
        throw new InletError('not_implemented', `This service has no ${what}.`)
      },
    })
  }
}
