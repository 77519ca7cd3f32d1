import { isDeepStrictEqual } from 'node:util'
import { namedArchitecture } from '../embeddings/architectures/registry.js'
import {
  bindPositionEmbedding,
  type PositionEmbeddingValue,
  positionEmbeddingSchema,
} from '../embeddings/positions/position-embedding.js'
import { InletError } from '../errors.js'
import { ENCODINGS } from '../tokens/registry.js'
import type { CardFields } from './card-fields.js'
import type { ModelCard } from './model-card.js'

/**
 * The card of a model whose tables a seed draws: float32.
 *
 * @param fields with their defaults
 * @throws InletError `invalid_request` where the scheme could serve no request
 */
export function seedCard(id: string, fields: CardFields): ModelCard {
  return checked({
    ...common(id, fields),
    vocabSize: fields.vocab_size ?? ENCODINGS[fields.encoding].vocabSize,
    embeddingDim: fields.embedding_dim,
    maxPositionEmbeddings: fields.max_position_embeddings,
    typeVocabSize: fields.type_vocab_size,
    dtype: 'float32',
    source: { type: 'seed', seed: fields.seed, initStd: fields.init_std },
  })
}

/** Sizes and element type of uploaded tables. */
export type UploadedSizes = Pick<
  ModelCard,
  'vocabSize' | 'embeddingDim' | 'maxPositionEmbeddings' | 'typeVocabSize' | 'dtype'
>

/** The card of a model whose tables were uploaded: their shapes say its sizes. */
export function uploadCard(
  id: string,
  fields: Pick<CardFields, 'encoding' | 'architecture' | 'position_embedding'>,
  sizes: UploadedSizes,
): ModelCard {
  return checked({ ...common(id, fields), ...sizes, source: { type: 'upload' } })
}

/** Whether two cards describe the same model, every default filled in. */
export function equalCards(a: ModelCard, b: ModelCard): boolean {
  return isDeepStrictEqual(a, b)
}

function common(
  id: string,
  fields: Pick<CardFields, 'encoding' | 'architecture' | 'position_embedding'>,
): Pick<ModelCard, 'id' | 'modelType' | 'tokenizer' | 'architecture' | 'positionEmbedding'> {
  return {
    id,
    modelType: 'seed',
    tokenizer: { type: 'tiktoken', encoding: fields.encoding },
    architecture: fields.architecture,
    positionEmbedding: fields.position_embedding ?? ownScheme(fields.architecture),
  }
}

/** The scheme that an architecture brings: bert → `{ type: 'learned_absolute' }`. */
function ownScheme(architecture: string): PositionEmbeddingValue {
  return positionEmbeddingSchema.parse(namedArchitecture(architecture).positionEmbedding)
}

/** Refuses a card whose scheme could serve no request. */
function checked(card: ModelCard): ModelCard {
  const { embeddingDim, maxPositionEmbeddings } = card
  const problem = bindPositionEmbedding(card.positionEmbedding).check({
    length: 1,
    offset: 0,
    embeddingDim,
    maxPositionEmbeddings,
  })
  if (problem === undefined) return card
  const param = problem.option === undefined ? 'position_embedding' : `position_embedding.${problem.option}`
  throw new InletError('invalid_request', problem.message, param)
}
