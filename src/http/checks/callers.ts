import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiKey } from '../../api-keys.js'
import { authenticateAdmin } from './admin.js'
import { authenticate } from './keys.js'

/**
 * Makes the check of keys. Routes that change models need the admin key. Every other route that is not open
 * needs any key; where the service started without users' keys, these routes need none.
 *
 * @param users gives the keys of the moment
 * @param admin this key opens every route; undefined: nobody can change models
 * @returns the check, to be called for each request that reaches a route
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
