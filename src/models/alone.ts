import type { Model } from '../embeddings/model.js'
import { TABLE_KEYS, tableRows } from '../embeddings/tables.js'
import type { ModelEntry } from './entry.js'
import type { ModelCard } from './model-card.js'

/** The model of the environment, where the service has no library of models beside it. */
export function aloneEntry({ spec, shared, created }: Model): ModelEntry {
  const { memory, pointers, workspaces } = shared.tables
  const rows = tableRows(spec)
  const places = TABLE_KEYS.map((name) => {
    const shape = [rows[name], spec.embeddingDim]
    return { name, shape, dtype: 'float32', pointer: pointers[name] } as const
  })
  const card: ModelCard = {
    id: spec.id,
    modelType: 'seed',
    tokenizer: { type: 'tiktoken', encoding: spec.encoding.name },
    vocabSize: spec.vocabSize,
    embeddingDim: spec.embeddingDim,
    maxPositionEmbeddings: spec.maxPositionEmbeddings,
    typeVocabSize: spec.typeVocabSize,
    dtype: 'float32',
    architecture: spec.architecture.name,
    positionEmbedding: { type: spec.position.type } as ModelCard['positionEmbedding'],
    source: { type: 'seed', seed: spec.seed, initStd: spec.initStd },
  }
  const version = { number: 1, tables: { memory, places, workspaces }, created }
  return { card, origin: 'environment', state: 'ready', lastVersion: 1, version }
}
