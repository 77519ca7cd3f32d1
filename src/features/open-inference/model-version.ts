import { InletError, shown } from '../../service/answer/error-table.js'
import type { ModelEntry } from '../../service/models/entry.js'
import { noCard } from '../../service/models/errors.js'
import type { Models } from '../../service/models/library/models.js'
import type { ModelPath } from './context.js'

/**
 * The model that a path names.
 *
 * @throws InletError `model_not_found`, also for another version than the present one; `model_failed`, `model_loading` where nothing
 * is known of the model but its id
 */
export function pathModel(models: Models, { model, version }: ModelPath['Params']): ModelEntry {
  const entry = models.find(model)
  if (entry.hasNoCard) throw noCard(entry)
  if (entry.version !== undefined) checkVersion(version, String(entry.version.number))
  return entry
}

/** @throws InletError `model_not_found` where a path names another version than the present one */
export function checkVersion(asked: string | undefined, present: string): void {
  if (asked === undefined || asked === present) return
  const message = `\`version\` must be ${present}, the model’s present one, or left out. Given: ${shown(asked)}`
  throw new InletError('model_not_found', message, 'version')
}
