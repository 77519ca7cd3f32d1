import { bindModel } from '../../../checkpoints/bind-model.js'
import type { TokenizerOf } from '../../../first-layer/cards/tokenizers.js'
import type { Model } from '../../../first-layer/embeddings/model.js'
import type { ModelEntry } from '../../../models/entry.js'
import type { StartLog } from '../sources/start-models.js'
import type { Bind, Bound, Library } from './library.js'

/** Makes one thread's `Model`s from the keeper's entries, over the memory that all threads share. */
export function bindIn(thread: number, tokenizerOf: TokenizerOf, failed?: Failed): Bind<Model> {
  return async ({ card }, { tables, number }) => {
    const own = { thread, version: String(number) }
    return bindModel(card, tables, await tokenizerOf(card), own, ({ message }) => failed?.(card.id, message))
  }
}

/** Called with the id of a model whose rows on disk cannot be read, and the reason. */
type Failed = (id: string, message: string) => void

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

/**
 * Puts a new thread's first models into its library, all before it waits: changes that arrive later are
 * newer. Then binds the loaded ones.
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
