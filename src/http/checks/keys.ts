import type { FastifyRequest } from 'fastify'
import { type ApiKey, ownerOf } from '../../api-keys.js'
import { InletError } from '../../errors.js'

/**
 * The name of the caller, from `Authorization: Bearer KEY`. The error's message shows no part of the given key.
 *
 * @throws InletError `unauthorized`
 */
export function authenticate(header: string | undefined, keys: readonly ApiKey[]): string {
  const key = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  const owner = key === undefined ? undefined : ownerOf(key, keys)
  if (owner !== undefined) return owner
  const rule = key === undefined ? 'be `Bearer KEY`' : 'bring a key that is known'
  const headers = { 'www-authenticate': 'Bearer' }
  throw new InletError('unauthorized', `\`Authorization\` must ${rule}.`, 'authorization', headers)
}

/** Whether no route has the request's path and method. Such a request gets 404 or 405 before any other check. */
export function reachesNoRoute(request: FastifyRequest): boolean {
  return request.is404 || request.routeOptions.config.methodNotAllowed === true
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** No key is needed. */
    open?: boolean
  }
  interface FastifyRequest {
    /** Name of the key that the request came with. */
    caller?: string
  }
}
