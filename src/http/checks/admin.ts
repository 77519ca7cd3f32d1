import type { FastifyRequest } from 'fastify'
import { ADMIN, type ApiKey } from '../../api-keys.js'
import { InletError } from '../../errors.js'
import { authenticate } from './keys.js'

/**
 * The name of the caller on a route that changes models.
 *
 * @param users keys that open the other routes
 * @throws InletError `admin_disabled`, then `unauthorized`, then `forbidden`
 */
export function authenticateAdmin(
  { headers }: Pick<FastifyRequest, 'headers'>,
  users: readonly ApiKey[],
  admin: ApiKey | undefined,
): string {
  if (admin === undefined) {
    throw new InletError('admin_disabled', 'This route needs an admin key, and the service was given none.')
  }
  const caller = authenticate(headers.authorization, [...users, admin])
  if (caller === ADMIN) return caller
  throw new InletError('forbidden', '`Authorization` must bring the admin key.', 'authorization')
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The admin key is needed. */
    admin?: boolean
  }
}
