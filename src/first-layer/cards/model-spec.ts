import { namedArchitecture } from '../embeddings/architectures/registry.js'
import type { ModelSpec } from '../embeddings/model.js'
import { bindPositionEmbedding } from '../embeddings/positions/position-embedding.js'
import { InletError } from '../errors.js'
import { bytePairTokenizer } from '../tokens/byte-pair/byte-pair-tokenizer.js'
import type { TokenizerLibrary } from '../tokens/rust/rust-library.js'
import { RustTokenizer } from '../tokens/rust/rust-tokenizer.js'
import { absentTokenizer, type Tokenizer } from '../tokens/tokenizer.js'
import { WordPieceTokenizer } from '../tokens/wordpiece/wordpiece-tokenizer.js'
import { type ModelCard, padTokenIdOf, type TokenizerCard } from './model-card.js'

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

/**
 * Makes the tokenizer of a folder's model, in this thread. If the Rust library refuses the file, the result is an absent
 * tokenizer: the model serves ids. What else happens to the library is told by the texts that it happens to.
 */
export async function cardTokenizer(
  card: Exclude<TokenizerCard, { type: 'tiktoken' | 'none' }>,
  rust: TokenizerLibrary,
  pause?: () => Promise<void> | undefined,
): Promise<Tokenizer> {
  if (card.type === 'byte_pair') return bytePairTokenizer(card.spec, pause)
  if (card.type === 'wordpiece') return new WordPieceTokenizer(card.spec)
  try {
    await rust.run({ type: 'open', file: card })
  } catch (error) {
    if (!(error instanceof InletError)) throw error
    if (error.code === 'model_failed') return absentTokenizer(error.message)
  }
  const { encoder } = card.spec
  return new RustTokenizer(rust, card, card.spec, encoder && (await bytePairTokenizer(encoder, pause)))
}
