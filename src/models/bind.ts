import { namedArchitecture } from '../embeddings/architectures/registry.js'
import { Model } from '../embeddings/model.js'
import { bindPositionEmbedding } from '../embeddings/positions/position-embedding.js'
import { type EncodingName, loadEncoding } from '../tokens/encoding.js'
import { drawnOnDemand } from './drawn-on-demand.js'
import type { ModelEntry, ModelVersion } from './entry.js'
import type { Bind } from './library.js'
import type { ModelCard } from './model-card.js'

/** Makes models of what the keeper says, for one thread, over the memory that all threads share. */
export function bindIn(thread: number): Bind<Model> {
  return (entry, version) => bindModel(entry, version, thread)
}

async function bindModel({ card }: ModelEntry, version: ModelVersion, thread: number): Promise<Model> {
  const { tables, number } = version
  return new Model({
    spec: await specOf(card),
    version: String(number),
    tables,
    thread,
    drawn: (name) => drawnOnDemand(card, name),
  })
}

/** A card with what its names stand for. */
async function specOf(card: ModelCard) {
  const { id, vocabSize, embeddingDim, maxPositionEmbeddings, typeVocabSize, dtype } = card
  return {
    ...{ id, vocabSize, embeddingDim, maxPositionEmbeddings, typeVocabSize, dtype },
    encoding: await loadEncoding(card.tokenizer.encoding as EncodingName),
    architecture: namedArchitecture(card.architecture),
    position: bindPositionEmbedding(card.positionEmbedding),
  }
}
