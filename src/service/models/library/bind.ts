import { bindModel } from '../../../checkpoints/bind-model.js'
import type { TokenizerOf } from '../../../first-layer/cards/tokenizers.js'
import type { Model } from '../../../first-layer/embeddings/model.js'
import type { StartLog } from '../sources/start-models.js'
import type { Bind, Bound, Library } from './library.js'

/**
 * Makes one thread's `Model`s from the keeper's entries, over the memory that all threads share.
 *
 * @param failed called with the id of a model whose rows on disk cannot be read, and the reason
 */
export function bindIn(
  thread: number,
  tokenizerOf: TokenizerOf,
  failed?: (id: string, message: string) => void,
): Bind<Model> {
  return async ({ card }, { tables, number }) => {
    const own = { thread, version: String(number) }
    return bindModel(card, tables, await tokenizerOf(card), own, ({ message }) => failed?.(card.id, message))
  }
}

/**
 * Binds each loaded model now, with its tokenizer and kernels, so that no request waits for it. Logs a model
 * that cannot be bound; only its own requests fail.
 */
export async function bindLoaded<Model extends Bound>(
  library: Library<Model>,
  log: Pick<StartLog, 'error'>,
): Promise<void> {
  for (const { card } of library.entries()) {
    try {
      const lease = await library.present(card.id)
      lease?.release()
    } catch (error) {
      log.error({ model: card.id, reason: (error as Error).message }, 'a model cannot be bound')
    }
  }
}
