import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import type { Caller } from '../../callers/caller.js'
import type { KeyRing } from '../../callers/key-ring.js'
import { InletError } from '../../errors.js'

/**
 * The caller, from `Authorization: Bearer KEY`. The error's message shows no part of the given key.
 *
 * @throws InletError `unauthorized`
 */
export function authenticate(header: string | undefined, keys: KeyRing): Caller {
  const key = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  const owner = key === undefined ? undefined : keys.find(key)
  if (owner !== undefined) return owner
  const rule = key === undefined ? 'be `Bearer KEY`' : 'bring a key that is known'
  const headers = { 'www-authenticate': 'Bearer' }
  throw new InletError('unauthorized', `\`Authorization\` must ${rule}.`, 'authorization', headers)
}

/** Whether no route has the request's path and method. Such a request gets 404 or 405 before any other check. */
export function reachesNoRoute(request: FastifyRequest, config: FastifyContextConfig): boolean {
  return request.is404 || config.methodNotAllowed === true
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** No key is needed. */
    open?: boolean
  }
  interface FastifyRequest {
    /** Whose key the request came with. */
    caller?: Caller
  }
}
