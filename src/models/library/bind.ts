import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { namedArchitecture } from '../../first-layer/embeddings/architectures/registry.js'
import { Model, type ModelSpec } from '../../first-layer/embeddings/model.js'
import { bindPositionEmbedding } from '../../first-layer/embeddings/positions/position-embedding.js'
import type { Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import type { ModelEntry, ModelVersion } from '../entry.js'
import type { StartLog } from '../sources/start-models.js'
import { drawnOnDemand } from './drawn-on-demand.js'
import type { Bind, Bound, Library } from './library.js'
import type { TokenizerOf } from './tokenizers.js'

/** Makes one thread's `Model`s from the keeper's entries, over the memory that all threads share. */
export function bindIn(thread: number, tokenizerOf: TokenizerOf): Bind<Model> {
  return (entry, version) => bindModel(entry, version, thread, tokenizerOf)
}

async function bindModel(
  { card }: ModelEntry,
  version: ModelVersion,
  thread: number,
  tokenizerOf: TokenizerOf,
): Promise<Model> {
  const { tables, number } = version
  return new Model({
    spec: specOf(card, await tokenizerOf(card)),
    version: String(number),
    tables,
    thread,
    drawn: (name) => drawnOnDemand(card, name),
  })
}

/** Replaces a card's names by the tokenizer, architecture and position scheme that they name. */
function specOf(card: ModelCard, tokenizer: Tokenizer): ModelSpec {
  const { id, vocabSize, embeddingDim, hiddenSize, maxPositionEmbeddings, typeVocabSize, dtype } = card
  return {
    ...{ id, vocabSize, embeddingDim, hiddenSize, maxPositionEmbeddings, typeVocabSize, dtype },
    tokenizer,
    padTokenId: card.source.type === 'folder' ? card.padTokenId : tokenizer.endOfText,
    isCheckpoint: card.layer !== undefined,
    architecture: card.layer ?? namedArchitecture(card.architecture),
    position: bindPositionEmbedding(card.positionEmbedding),
  }
}

/**
 * Binds each loaded model now, with its tokenizer and kernels, so that no request waits for it. Logs a model that cannot be
 * bound; only its own requests fail.
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

/**
 * Puts a new thread's first models into its library, all before it waits: changes that arrive meanwhile are newer. Then
 * binds the loaded ones.
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
