import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiKey } from '../../api-keys.js'
import { authenticateAdmin } from './admin.js'
import { authenticate } from './keys.js'

/**
 * Asks for the admin key on the routes that change models, and for any key on every other one that is not open.
 * Without users' keys at the start, the others are open.
 *
 * @param users keys that are known at the moment
 * @param admin opens everything; undefined: nobody changes models
 * @returns what is asked of each request that reaches a route
 */
export function callersCheck(
  app: FastifyInstance,
  users: () => readonly ApiKey[],
  admin?: ApiKey,
): (request: FastifyRequest) => void {
  app.decorateRequest('caller')
  const needsKeys = users().length > 0
  return (request) => {
    const { config } = request.routeOptions
    if (config.admin) request.caller = authenticateAdmin(request, users(), admin)
    else if (needsKeys && !config.open) {
      const keys = admin === undefined ? users() : [...users(), admin]
      request.caller = authenticate(request.headers.authorization, keys)
    }
  }
}
