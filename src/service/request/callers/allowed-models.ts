import { InletError } from '../../answer/error-table.js'
import { modelNotFound, shownNames } from '../../models/errors.js'
import type { Models } from '../../models/library/models.js'
import type { Caller } from './caller.js'

/** A request, with its caller where keys are needed. */
interface Asking {
  readonly caller?: Caller
}

/** All models of the service. */
export type KnownModels = Pick<Models, 'entry' | 'entries' | 'isStarting'>

/** Whether the request's caller may use a model. */
export function mayUse({ caller }: Asking, id: string): boolean {
  return caller?.models?.has(id) ?? true
}

/**
 * Checks that the caller may use a model.
 *
 * @throws InletError `forbidden`
 */
export function checkMayUse(request: Asking, id: string): void {
  if (mayUse(request, id)) return
  const allowed = shownNames([...(request.caller?.models ?? [])])
  throw new InletError('forbidden', `\`model\` must be one that this key may use: ${allowed}.`, 'model')
}

/**
 * Checks that the caller may use a model of this service. The error for an unknown model names only models that the
 * caller may use.
 *
 * @throws InletError `forbidden`, also for an unknown model; `model_not_found`
 */
export function checkModel(request: Asking, models: KnownModels, id: string): void {
  checkMayUse(request, id)
  const allowed = request.caller?.models
  if (allowed === undefined) return // the look-up's own error names all models
  if (models.entry(id) !== undefined || models.isStarting) return
  const own = models.entries().filter(({ card }) => allowed.has(card.id))
  throw modelNotFound(
    id,
    own.map(({ card }) => card.id),
  )
}

/**
 * Checks that the caller may see every model and caller.
 *
 * @throws InletError `forbidden`
 */
export function checkSeesAll({ caller }: Asking): void {
  if (caller?.models === undefined) return
  const message =
    '`Authorization` must bring a key for all models: what is here names every model and caller.'
  throw new InletError('forbidden', message, 'authorization')
}
