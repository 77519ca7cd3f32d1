import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { HeaderedError, InletError } from '../../answer/error-table.js'
import { modelNotFound, shownNames } from '../../models/errors.js'
import type { Models } from '../../models/library/models.js'
import { type ApiKey, digestOf } from '../../process/keys/api-keys.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call. `learn`: an admin, or a caller who may let the model of the path learn. Default: `key`. */
    needs?: 'nothing' | 'key' | 'admin' | 'learn'
  }
  interface FastifyRequest {
    caller?: ApiKey
  }
}

export interface KnownCallers {
  users(): readonly ApiKey[]
  /** This key opens every route. */
  readonly admin: ApiKey | undefined
}

/**
 * All keys that are accepted at present, by their SHA-256: the time of a look-up tells nothing of a key, for
 * a guesser cannot choose the digest of a guess.
 */
function ringOf({ users, admin }: KnownCallers) {
  const keys = admin === undefined ? users() : [...users(), admin]
  return {
    byDigest: new Map(keys.map((key) => [Buffer.from(key.digest).toString('latin1'), key])),
    hasAdmin: keys.some((key) => key.admin),
    hasTrainer: keys.some((key) => key.learn),
  }
}

type KeyRing = ReturnType<typeof ringOf>

/**
 * Makes the check of keys. Routes that change models need an admin key; every other route that is not open needs any
 * key, unless the service started without users' keys. Then checks the right to use the model of the path.
 * @returns makes a route's check; undefined: whoever reaches it may call
 */
export function callersCheck(known: KnownCallers, models: KnownModels) {
  let users = known.users()
  let keys = ringOf(known)
  const needsKeys = users.length > 0
  return (needs: FastifyContextConfig['needs'] = 'key'): ((request: FastifyRequest) => void) | undefined => {
    if (needs === 'nothing' || (needs === 'key' && !needsKeys)) return undefined
    return (request) => {
      if (users !== known.users()) {
        users = known.users()
        keys = ringOf(known)
      }
      const { authorization } = request.headers
      const { model } = request.params as { model?: string }
      if (needs === 'admin') request.caller = authenticateAdmin(authorization, keys)
      else if (needs === 'learn') request.caller = authenticateTrainer(authorization, keys, model!)
      else request.caller = authenticate(authorization, keys)
      if (request.caller.models === undefined || model === undefined) return
      if (request.method === 'PUT' && needs !== 'learn')
        checkMayUse(request, model) // the model may be new
      else checkModel(request, models, model)
    }
  }
}

/**
 * The caller, from `Authorization: Bearer KEY`. The error's message shows no part of the given key.
 * @throws InletError `unauthorized`
 */
function authenticate(header: string | undefined, keys: KeyRing): ApiKey {
  const key = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  const owner = key === undefined ? undefined : keys.byDigest.get(digestOf(key).toString('latin1'))
  if (owner !== undefined) return owner
  const rule = key === undefined ? 'be `Bearer KEY`' : 'bring a key that is known'
  const headers = { 'www-authenticate': 'Bearer' }
  throw new HeaderedError('unauthorized', `\`Authorization\` must ${rule}.`, 'authorization', headers)
}

function authenticateAdmin(header: string | undefined, keys: KeyRing): ApiKey {
  if (!keys.hasAdmin) {
    throw new InletError(
      'admin_disabled',
      'This route needs an admin key, and the service was given none: start it with `ADMIN_KEY`.',
    )
  }
  const caller = authenticate(header, keys)
  if (caller.admin) return caller
  throw new InletError('forbidden', '`Authorization` must bring an admin key.', 'authorization')
}

/** The caller on a route that lets a model learn. @throws InletError `admin_disabled`, `unauthorized`, `forbidden` */
function authenticateTrainer(header: string | undefined, keys: KeyRing, model: string): ApiKey {
  if (!keys.hasTrainer) return authenticateAdmin(header, keys)
  const caller = authenticate(header, keys)
  if (caller.admin || caller.learn?.includes(model)) return caller
  const message = '`Authorization` must bring an admin key, or one with this model under `learn`.'
  throw new InletError('forbidden', message, 'authorization')
}

interface Asking {
  readonly caller?: ApiKey
}

export type KnownModels = Pick<Models, 'entry' | 'entries' | 'isStarting'>

export function mayUse({ caller }: Asking, id: string): boolean {
  return caller?.models?.includes(id) ?? true
}

/** Checks that the caller may use a model. @throws InletError `forbidden` */
function checkMayUse(request: Asking, id: string): void {
  if (mayUse(request, id)) return
  const allowed = shownNames(request.caller?.models ?? [])
  throw new InletError('forbidden', `\`model\` must be one that this key may use: ${allowed}.`, 'model')
}

/**
 * Checks that the caller may use a model of this service. The error for an unknown model names only models
 * that the caller may use.
 * @throws InletError `forbidden`, also for an unknown model; `model_not_found`
 */
export function checkModel(request: Asking, models: KnownModels, id: string): void {
  const allowed = request.caller?.models
  if (allowed === undefined) return // the look-up's own error names all models
  checkMayUse(request, id)
  if (models.entry(id) !== undefined || models.isStarting) return
  const own = models.entries().filter(({ card }) => allowed.includes(card.id))
  throw modelNotFound(
    id,
    own.map(({ card }) => card.id),
  )
}

/** Checks that the caller may see every model and caller. @throws InletError `forbidden` */
export function checkSeesAll({ caller }: Asking): void {
  if (caller?.models === undefined) return
  const message =
    '`Authorization` must bring a key for all models: what is here names every model and caller.'
  throw new InletError('forbidden', message, 'authorization')
}
