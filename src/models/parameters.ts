import { namedArchitecture } from '../embeddings/architectures/registry.js'
import { bindPositionEmbedding } from '../embeddings/positions/position-embedding.js'
import type { TableShape } from '../embeddings/table-memory.js'
import type { ModelCard } from './model-card.js'

/**
 * How a parameter is made that is not uploaded: drawn from the model's seed, or as PyTorch initializes a
 * LayerNorm.
 */
export type Fresh = 'normal' | 'ones' | 'zeros'

/** One learned tensor of a model's first layer. */
export interface Parameter extends TableShape {
  readonly fresh: Fresh
}

/**
 * The tables that a model's architecture uses under its own scheme, in the order in which a seed draws them:
 * gpt2 → `wte.weight` [V, C], `wpe.weight` [P, C]; llama → `wte.weight`; bloom → `wte.weight`, `norm.weight`,
 * `norm.bias` [C].
 */
export function parametersOf(card: ModelCard): readonly Parameter[] {
  const { steps } = namedArchitecture(card.architecture)
  const { embeddingDim: C, dtype } = card
  const usesPositionTable = bindPositionEmbedding(card.positionEmbedding).table !== undefined
  const table = (name: string, rows: number): Parameter => ({
    name,
    shape: [rows, C],
    dtype,
    fresh: 'normal',
  })
  const vector = (name: string, fresh: Fresh): Parameter => ({ name, shape: [C], dtype, fresh })
  return [
    table('wte.weight', card.vocabSize),
    ...(usesPositionTable ? [table('wpe.weight', card.maxPositionEmbeddings)] : []),
    ...(steps.includes('types') ? [table('wtt.weight', card.typeVocabSize)] : []),
    ...(steps.includes('norm') ? [vector('norm.weight', 'ones'), vector('norm.bias', 'zeros')] : []),
  ]
}

/**
 * The learned tables of the card's position scheme, under the names that an upload gives them:
 * `position.relative_attention_bias` [buckets, H] of t5. A model made from a seed has none: each request's `seed`
 * draws them.
 */
export function schemeParametersOf({
  positionEmbedding,
  embeddingDim,
  dtype,
}: ModelCard): readonly TableShape[] {
  const learned = bindPositionEmbedding(positionEmbedding).parameters(embeddingDim)
  return Object.entries(learned).map(([name, shape]) => ({ name: `position.${name}`, shape, dtype }))
}
