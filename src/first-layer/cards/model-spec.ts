import { namedArchitecture } from '../embeddings/architectures/registry.js'
import type { ModelSpec } from '../embeddings/model.js'
import { bindPositionEmbedding } from '../embeddings/positions/position-embedding.js'
import type { Tokenizer } from '../tokens/tokenizer.js'
import { type ModelCard, padTokenIdOf } from './model-card.js'

/** Replaces a card's names by the tokenizer, architecture and position scheme that they name. */
export function specOf(card: ModelCard, tokenizer: Tokenizer): ModelSpec {
  const { id, vocabSize, embeddingDim, hiddenSize, maxPositionEmbeddings, typeVocabSize, dtype } = card
  return {
    ...{ id, vocabSize, embeddingDim, hiddenSize, maxPositionEmbeddings, typeVocabSize, dtype },
    longestContext: longestContext(card),
    tokenizer,
    lookups: card.lookups,
    tablesUnavailable: card.tablesUnavailable,
    padTokenId: padTokenIdOf(card, tokenizer),
    isCheckpoint: card.layer !== undefined,
    architecture: card.layer ?? namedArchitecture(card.architecture),
    position: bindPositionEmbedding(card.positionEmbedding),
  }
}

/**
 * Some configs give P before the stretching by `scaling.factor`, some after it: the greater one counts.
 *
 * As vLLM's `_get_and_verify_max_len`.
 */
function longestContext({ maxPositionEmbeddings: rows, positionEmbedding }: ModelCard): number {
  const { factor = 1, original_max_position_embeddings: original = rows } = (positionEmbedding.scaling ??
    {}) as { readonly factor?: number; readonly original_max_position_embeddings?: number }
  return Math.max(rows, Math.floor(original * factor))
}
