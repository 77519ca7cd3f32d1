import { namedArchitecture } from '../embeddings/architectures/registry.js'
import { bindPositionEmbedding } from '../embeddings/positions/position-embedding.js'
import type { TableShape } from '../embeddings/table-memory.js'
import { POOLING_TABLES } from '../pooling/pooling.js'
import type { ModelCard } from './model-card.js'

/**
 * The tables that a model's architecture uses under its own scheme, in the order in which a seed draws them:
 * gpt2 → `wte.weight` [V, C], `wpe.weight` [P, C]; llama → `wte.weight`; bloom → `wte.weight`, `norm.weight`,
 * `norm.bias` [C].
 */
export function parametersOf(card: ModelCard): readonly TableShape[] {
  if (card.source.type === 'folder') {
    return card.source.tensors.map(({ table, shape, dtype }) => ({ name: table, shape, dtype }))
  }
  const { steps } = namedArchitecture(card.architecture)
  const { embeddingDim: C, dtype } = card
  const usesPositionTable = bindPositionEmbedding(card.positionEmbedding).table !== undefined
  const table = (name: string, rows: number): TableShape => ({
    name,
    shape: [rows, C],
    dtype,
  })
  const vector = (name: string): TableShape => ({ name, shape: [C], dtype })
  return [
    table('wte.weight', card.vocabSize),
    ...(usesPositionTable ? [table('wpe.weight', card.maxPositionEmbeddings)] : []),
    ...(steps.includes('types') ? [table('wtt.weight', card.typeVocabSize)] : []),
    ...(steps.includes('norm') ? [vector('norm.weight'), vector('norm.bias')] : []),
  ]
}

/** The tables that an upload may bring: all but those of a static model's pooling. */
export function exchangeableOf(card: ModelCard): readonly TableShape[] {
  const all = [...parametersOf(card), ...schemeParametersOf(card)]
  return all.filter(({ name }) => !POOLING_TABLES.includes(name))
}

/**
 * The learned tables of the card's position scheme, under the names that an upload gives them:
 * `position.relative_attention_bias` [buckets, H] of t5. A model made from a seed has none: each request's `seed`
 * draws them.
 */
function schemeParametersOf({ positionEmbedding, embeddingDim, dtype }: ModelCard): readonly TableShape[] {
  const learned = bindPositionEmbedding(positionEmbedding).parameters(embeddingDim)
  return Object.entries(learned).map(([name, shape]) => ({ name: `position.${name}`, shape, dtype }))
}
