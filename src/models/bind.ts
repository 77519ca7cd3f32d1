import { namedArchitecture } from '../embeddings/architectures/registry.js'
import { Model, type ModelSpec } from '../embeddings/model.js'
import { bindPositionEmbedding } from '../embeddings/positions/position-embedding.js'
import { loadEncoding } from '../tokens/encoding.js'
import type { EncodingName } from '../tokens/registry.js'
import type { Tokenizer } from '../tokens/tokenizer.js'
import { drawnOnDemand } from './drawn-on-demand.js'
import type { ModelEntry, ModelVersion } from './entry.js'
import type { Bind } from './library.js'
import type { ModelCard } from './model-card.js'

/** Makes one thread's `Model`s from the entries that the keeper sends, over the memory that all threads share. */
export function bindIn(thread: number, encodingOf: EncodingOf = cardEncoding): Bind<Model> {
  return (entry, version) => bindModel(entry, version, thread, encodingOf)
}

/** Loads the encoding that turns a model's text into ids, in this thread. */
export type EncodingOf = (card: ModelCard) => Promise<Tokenizer>

/** The encoding that a card names. */
export const cardEncoding: EncodingOf = ({ tokenizer }) => loadEncoding(tokenizer.encoding as EncodingName)

async function bindModel(
  { card }: ModelEntry,
  version: ModelVersion,
  thread: number,
  encodingOf: EncodingOf,
): Promise<Model> {
  const { tables, number } = version
  return new Model({
    spec: specOf(card, await encodingOf(card)),
    version: String(number),
    tables,
    thread,
    drawn: (name) => drawnOnDemand(card, name),
  })
}

/** A card whose names are replaced by what they name: encoding, architecture, position scheme. */
function specOf(card: ModelCard, encoding: Tokenizer): ModelSpec {
  const { id, vocabSize, embeddingDim, maxPositionEmbeddings, typeVocabSize, dtype } = card
  return {
    ...{ id, vocabSize, embeddingDim, maxPositionEmbeddings, typeVocabSize, dtype },
    encoding,
    architecture: namedArchitecture(card.architecture),
    position: bindPositionEmbedding(card.positionEmbedding),
  }
}
