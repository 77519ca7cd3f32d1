import { namedArchitecture } from '../first-layer/embeddings/architectures/registry.js'
import { Model, type ModelSpec } from '../first-layer/embeddings/model.js'
import { bindPositionEmbedding } from '../first-layer/embeddings/positions/position-embedding.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { drawnOnDemand } from './drawn-on-demand.js'
import type { ModelEntry, ModelVersion } from './entry.js'
import type { Bind } from './library.js'
import type { ModelCard } from './model-card.js'
import type { TokenizerOf } from './tokenizers.js'

/** Makes one thread's `Model`s from the entries that the keeper sends, over the memory that all threads share. */
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

/** A card whose names are replaced by what they name: encoding, architecture, position scheme. */
function specOf(card: ModelCard, encoding: Tokenizer): ModelSpec {
  const { id, vocabSize, embeddingDim, hiddenSize, maxPositionEmbeddings, typeVocabSize, dtype } = card
  return {
    ...{ id, vocabSize, embeddingDim, hiddenSize, maxPositionEmbeddings, typeVocabSize, dtype },
    encoding,
    padTokenId: card.source.type === 'folder' ? card.padTokenId : encoding.endOfText,
    isCheckpoint: card.layer !== undefined,
    architecture: card.layer ?? namedArchitecture(card.architecture),
    position: bindPositionEmbedding(card.positionEmbedding),
  }
}
