import type { ModelEntry } from '../models/entry.js'
import type { Bound, Library } from '../models/library.js'

/**
 * Takes in the models with which a thread begins, all at once: what it is told of them while it gets ready is newer.
 * Then it binds those that are loaded, so that no request waits for that.
 *
 * @param backend settles when models can be bound
 */
export async function takeFirstModels<Model extends Bound>(
  library: Library<Model>,
  models: readonly ModelEntry[],
  backend: Promise<unknown>,
): Promise<void> {
  for (const entry of models) void library.put(entry)
  await backend
  for (const { card } of library.entries()) {
    try {
      const lease = await library.lease(card.id)
      lease?.release()
    } catch {
      // A model that cannot be bound costs its own requests only: they are told why.
    }
  }
}
