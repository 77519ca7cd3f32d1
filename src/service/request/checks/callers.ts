import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { HeaderedError, InletError } from '../../answer/error-table.js'
import { checkMayUse, checkModel, type KnownModels } from '../callers/allowed-models.js'
import type { ApiKey } from '../callers/api-keys.js'
import { type Caller, KeyRing } from '../callers/caller.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** No key is needed. */
    open?: boolean
    /** An admin key is needed. */
    admin?: boolean
    /** An admin key is needed, or one that may let the model of the path learn. */
    learn?: boolean
  }
  interface FastifyRequest {
    /** The owner of the request's key. */
    caller?: Caller
  }
}

/** The callers of the service. */
export interface KnownCallers {
  /** The users' present keys. */
  users(): readonly ApiKey[]
  /** This key opens every route. */
  readonly admin: ApiKey | undefined
}

/** All keys that are accepted at present. */
function ringOf({ users, admin }: KnownCallers): KeyRing {
  return new KeyRing(admin === undefined ? users() : [...users(), admin])
}

/**
 * Makes the check of keys. Routes that change models need an admin key; every other route that is not open needs any
 * key, unless the service started without users' keys. Then checks the right to use the model of the path.
 *
 * @returns the check, to be called for each request that reaches a route
 */
export function callersCheck(
  known: KnownCallers,
  models: KnownModels,
): (request: FastifyRequest, config: FastifyContextConfig) => void {
  let users = known.users()
  let keys = ringOf(known)
  const needsKeys = users.length > 0
  return (request, config) => {
    if (config.open || !(needsKeys || config.admin || config.learn)) return
    if (users !== known.users()) {
      users = known.users()
      keys = ringOf(known)
    }
    const { authorization } = request.headers
    const { model } = request.params as { model?: string }
    if (config.admin) request.caller = authenticateAdmin(authorization, keys)
    else if (config.learn) request.caller = authenticateTrainer(authorization, keys, model!)
    else request.caller = authenticate(authorization, keys)
    if (request.caller.models === undefined || model === undefined) return
    if (request.method === 'PUT' && !config.learn)
      checkMayUse(request, model) // the model may be new
    else checkModel(request, models, model)
  }
}

/**
 * The caller, from `Authorization: Bearer KEY`. The error's message shows no part of the given key.
 *
 * @throws InletError `unauthorized`
 */
function authenticate(header: string | undefined, keys: KeyRing): Caller {
  const key = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  const owner = key === undefined ? undefined : keys.find(key)
  if (owner !== undefined) return owner
  const rule = key === undefined ? 'be `Bearer KEY`' : 'bring a key that is known'
  const headers = { 'www-authenticate': 'Bearer' }
  throw new HeaderedError('unauthorized', `\`Authorization\` must ${rule}.`, 'authorization', headers)
}

/** The caller on a route that changes models. @throws InletError `admin_disabled`, `unauthorized`, `forbidden` */
function authenticateAdmin(header: string | undefined, keys: KeyRing): Caller {
  if (!keys.hasAdmin) {
    throw new InletError(
      'admin_disabled',
      'This route needs an admin key, and the service was given none: start it with `ADMIN_KEY`.',
    )
  }
  const caller = authenticate(header, keys)
  if (caller.isAdmin) return caller
  throw new InletError('forbidden', '`Authorization` must bring an admin key.', 'authorization')
}

/**
 * The caller on a route that lets a model learn.
 *
 * @throws InletError `admin_disabled`, `unauthorized`, `forbidden`
 */
function authenticateTrainer(header: string | undefined, keys: KeyRing, model: string): Caller {
  if (!keys.hasTrainer) return authenticateAdmin(header, keys)
  const caller = authenticate(header, keys)
  if (caller.isAdmin || caller.learn?.has(model)) return caller
  const message = '`Authorization` must bring an admin key, or one with this model under `learn`.'
  throw new InletError('forbidden', message, 'authorization')
}

/** Whether no route has the request's path and method. Such a request gets 404 or 405 before any other check. */
export function reachesNoRoute(request: FastifyRequest, config: FastifyContextConfig): boolean {
  return request.is404 || config.methodNotAllowed === true
}
