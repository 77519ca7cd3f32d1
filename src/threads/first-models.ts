import { bindLoaded } from '../models/bind-loaded.js'
import type { ModelEntry } from '../models/entry.js'
import type { Bound, Library } from '../models/library.js'
import type { StartLog } from '../models/start-models.js'

/**
 * Takes in the models with which a thread begins, all at once: what it is told of them while it gets ready is newer.
 * Then it binds those that are loaded.
 *
 * @param backend settles when models can be bound
 */
export async function takeFirstModels<Model extends Bound>(
  library: Library<Model>,
  models: readonly ModelEntry[],
  backend: Promise<unknown>,
  log: Pick<StartLog, 'error'>,
): Promise<void> {
  for (const entry of models) void library.put(entry)
  await backend
  await bindLoaded(library, log)
}
