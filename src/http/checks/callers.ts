import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ADMIN_ACCOUNT } from '../../callers/accounts.js'
import type { ApiKey } from '../../callers/api-keys.js'
import { KeyRing } from '../../callers/key-ring.js'
import type { Usage } from '../../callers/usage.js'
import { authenticateAdmin } from './admin.js'
import { checkMayUse, checkModel, type KnownModels } from './allowed-models.js'
import { authenticate } from './keys.js'
import { checkRates } from './rates.js'

/** Who calls, and what they have used. */
export interface KnownCallers {
  /** The users' keys of the moment, with their accounts. */
  users(): readonly ApiKey[]
  /** This key opens every route. */
  readonly admin: ApiKey | undefined
  readonly usage: Usage
}

/** All keys that are accepted at the moment. */
export function acceptedKeys({ users, admin }: KnownCallers): readonly ApiKey[] {
  return admin === undefined ? users() : [...users(), { ...admin, account: ADMIN_ACCOUNT }]
}

/**
 * Makes the check of keys. Routes that change models need an admin key. Every other route that is not open needs any
 * key; where the service started without users' keys, these routes need none. Then the caller's rates are checked, and
 * whether the caller may use the model of the path.
 *
 * @returns the check, to be called for each request that reaches a route
 */
export function callersCheck(
  app: FastifyInstance,
  known: KnownCallers,
  models: KnownModels,
): (request: FastifyRequest, reply: FastifyReply, config: FastifyContextConfig) => void {
  app.decorateRequest('caller')
  let users = known.users()
  let keys = new KeyRing(acceptedKeys(known), known.usage)
  const needsKeys = users.length > 0
  return (request, reply, config) => {
    if (config.open || !(needsKeys || config.admin)) return
    if (users !== known.users()) {
      users = known.users()
      keys = new KeyRing(acceptedKeys(known), known.usage)
    }
    request.caller = config.admin
      ? authenticateAdmin(request, keys)
      : authenticate(request.headers.authorization, keys)
    if (request.caller.limits.length > 0) checkRates(request.caller, request, reply)
    if (request.caller.models === undefined) return
    const { model } = request.params as { model?: string }
    if (model !== undefined) {
      // A model that is to be made need not be there.
      if (request.method === 'PUT') checkMayUse(request, model)
      else checkModel(request, models, model)
    }
  }
}
