import type { Bound, Library } from './library.js'
import type { StartLog } from './start-models.js'

/**
 * Binds each loaded model now, with its tokenizer and kernels, so that no request waits for that. A model that cannot be
 * bound costs its own requests only: it is logged, and they are told why.
 */
export async function bindLoaded<Model extends Bound>(
  library: Library<Model>,
  log: Pick<StartLog, 'error'>,
): Promise<void> {
  for (const { card } of library.entries()) {
    try {
      const lease = await library.lease(card.id)
      lease?.release()
    } catch (error) {
      log.error({ model: card.id, reason: (error as Error).message }, 'a model cannot be bound')
    }
  }
}
