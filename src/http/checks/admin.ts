import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../callers/caller.js'
import type { KeyRing } from '../../callers/key-ring.js'
import { InletError } from '../../errors.js'
import { authenticate } from './keys.js'

/**
 * The caller on a route that changes models.
 *
 * @throws InletError `admin_disabled`, then `unauthorized`, then `forbidden`
 */
export function authenticateAdmin({ headers }: Pick<FastifyRequest, 'headers'>, keys: KeyRing): Caller {
  if (!keys.hasAdmin) {
    throw new InletError('admin_disabled', 'This route needs an admin key, and the service was given none.')
  }
  const caller = authenticate(headers.authorization, keys)
  if (caller.isAdmin) return caller
  throw new InletError('forbidden', '`Authorization` must bring an admin key.', 'authorization')
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** An admin key is needed. */
    admin?: boolean
  }
}
