import { namedArchitecture } from '../embeddings/architectures/registry.js'
import { bindPositionEmbedding, checkPositions } from '../embeddings/positions/position-embedding.js'
import { readPositionEmbedding } from '../embeddings/positions/position-option.js'
import { TABLE_NAMES, type TableShape } from '../embeddings/table-memory.js'
import { InletError } from '../errors.js'
import { POOLING_TABLES } from '../pooling/pooling.js'
import { ENCODINGS } from '../tokens/encodings.js'
import type { CardFields } from './card-json.js'
import { MAX_SKIPPED_NUMBERS, numbersBefore } from './draw-tables.js'
import type { ModelCard } from './model-card.js'

/**
 * The card of a model whose tables a seed draws: float32.
 *
 * @param fields with their defaults
 * @throws InletError `invalid_request` if the scheme could serve no request, or the seed's stream is too long
 */
export function seedCard(id: string, fields: CardFields): ModelCard {
  const card = checked({
    ...common(id, fields),
    vocabSize: fields.vocab_size ?? ENCODINGS[fields.encoding].vocabSize,
    embeddingDim: fields.embedding_dim,
    hiddenSize: fields.embedding_dim,
    maxPositionEmbeddings: fields.max_position_embeddings,
    typeVocabSize: fields.type_vocab_size,
    dtype: 'float32',
    source: { type: 'seed', seed: fields.seed, initStd: fields.init_std },
  })
  checkSkipped(card)
  return card
}

/** Sizes and element type of uploaded tables. */
type UploadedSizes = Pick<
  ModelCard,
  'vocabSize' | 'embeddingDim' | 'maxPositionEmbeddings' | 'typeVocabSize' | 'dtype'
>

/** The card of a model with uploaded tables, whose shapes give its sizes. */
export function uploadCard(
  id: string,
  fields: Pick<CardFields, 'encoding' | 'architecture' | 'position_embedding'>,
  sizes: UploadedSizes,
): ModelCard {
  return checked({
    ...common(id, fields),
    ...sizes,
    hiddenSize: sizes.embeddingDim,
    source: { type: 'upload' },
  })
}

function common(
  id: string,
  fields: Pick<CardFields, 'encoding' | 'architecture' | 'position_embedding'>,
): Pick<ModelCard, 'id' | 'modelType' | 'tokenizer' | 'architecture' | 'positionEmbedding'> {
  const { encoding, architecture, position_embedding: scheme } = fields
  return {
    ...{ id, modelType: 'seed', tokenizer: { type: 'tiktoken', encoding }, architecture },
    positionEmbedding: scheme ?? readPositionEmbedding(namedArchitecture(architecture).positionEmbedding),
  }
}

/** Refuses a card whose scheme could serve no request. */
function checked(card: ModelCard): ModelCard {
  const { embeddingDim, maxPositionEmbeddings } = card
  const request = { length: 1, offset: 0, embeddingDim, maxPositionEmbeddings }
  checkPositions(bindPositionEmbedding(card.positionEmbedding), request)
  return card
}

/** Refuses a card whose last table comes too late in the seed's stream, after tables that the model does not hold. */
function checkSkipped(card: ModelCard): void {
  const held = parametersOf(card).map(({ name }) => name)
  const last = TABLE_NAMES.findLast((name) => held.includes(name))
  if (last === undefined) return
  const skipped = numbersBefore(card, last, held).reduce((sum, count) => sum + count, 0)
  if (skipped <= MAX_SKIPPED_NUMBERS) return
  const rule = `must be at most ${Math.floor(MAX_SKIPPED_NUMBERS / card.embeddingDim)} with this embedding_dim`
  const why = `the seed's stream gives numbers to the unused wpe.weight before ${last}`
  const message = `\`max_position_embeddings\` ${rule}: ${why}. Given: ${card.maxPositionEmbeddings}`
  throw new InletError('invalid_request', message, 'max_position_embeddings')
}

/**
 * The tables that a model's architecture uses under its own scheme, in the order in which a seed draws them:
 * gpt2 → `wte.weight` [V, C], `wpe.weight` [P, C]; llama → `wte.weight`; bloom → `wte.weight`, `norm.weight`,
 * `norm.bias` [C].
 */
export function parametersOf(card: ModelCard): readonly TableShape[] {
  if (card.source.type === 'folder') {
    const all = card.source.tensors.map(
      ({ table, shape, dtype }) => [table, { name: table, shape, dtype }] as const,
    )
    return [...new Map(all).values()]
  }
  const { steps } = namedArchitecture(card.architecture)
  const { embeddingDim: C, dtype } = card
  const usesPositionTable = bindPositionEmbedding(card.positionEmbedding).table !== undefined
  const table = (name: string, rows: number): TableShape => ({ name, shape: [rows, C], dtype })
  const vector = (name: string): TableShape => ({ name, shape: [C], dtype })
  return [
    table('wte.weight', card.vocabSize),
    ...(usesPositionTable ? [table('wpe.weight', card.maxPositionEmbeddings)] : []),
    ...(steps.includes('types') ? [table('wtt.weight', card.typeVocabSize)] : []),
    ...(steps.includes('norm') ? [vector('norm.weight'), vector('norm.bias')] : []),
  ]
}

/** The tables that an upload may contain: all except those of a static model's pooling. */
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
