import {
  acceptsIds,
  describeTokenizer,
  encodingName,
  type ModelCard,
} from '../../first-layer/cards/model-card.js'
import { parametersOf } from '../../first-layer/cards/seed-card.js'
import { bytesOfAll } from '../../first-layer/embeddings/table-memory.js'
import { embeddingWidth } from '../../first-layer/pooling/pooling.js'
import type { ModelEntry, ModelVersion } from '../../service/models/entry.js'

/** Makes the body that `GET /v1/models/{model}` answers. */
export type Describe = (entry: ModelEntry) => Promise<object>

/** Facts of the service that are the same for every model. */
export interface ServiceFacts {
  /** Absent before it is chosen. */
  readonly backend: { readonly name: string; readonly version: string; readonly reason: string } | undefined
  readonly limits: Readonly<Record<string, number>>
  /** Unix time in seconds when the service began, for models that have no tables yet. */
  readonly started: number
}

/** Facts of a model's tokenizer. */
export interface DescribedTokenizer {
  /** Why there is none. */
  readonly unavailable?: string | undefined
  /** Literal → id. */
  readonly specialTokens: ReadonlyMap<string, number>
  readonly endOfText?: number
}

/** One model as `/v1/models` describes it. Special tokens whose ids have no row are left out. */
export function describeModel(
  entry: ModelEntry,
  tokenizer: DescribedTokenizer,
  learning: unknown,
  service: ServiceFacts,
) {
  const { card, version, state } = entry
  if (entry.hasNoCard) return { id: card.id, object: 'model', owned_by: 'inlet', state, error: entry.error }
  const padTokenId = card.source.type === 'folder' ? card.padTokenId : tokenizer.endOfText
  const isTokensOnly = card.tablesUnavailable !== undefined
  const hasRow = (id: number | undefined) => id !== undefined && id < card.vocabSize
  return {
    id: card.id,
    object: 'model',
    created: version?.created ?? service.started,
    owned_by: 'inlet',
    state,
    model_version: version === undefined ? null : String(version.number),
    model_type: card.modelType,
    encoding: encodingName(card) ?? null,
    tokenizer: describeTokenizer(card.tokenizer, tokenizer),
    special_tokens: Object.fromEntries([...tokenizer.specialTokens].filter(([, id]) => hasRow(id))),
    pad_token_id: hasRow(padTokenId) ? (padTokenId ?? null) : null,
    vocab_size: card.vocabSize,
    embedding_dim: isTokensOnly ? null : card.embeddingDim,
    hidden_size: isTokensOnly ? null : card.hiddenSize,
    max_position_embeddings: card.maxPositionEmbeddings || null,
    architecture: card.architecture,
    position_embedding: card.positionEmbedding.type,
    dtype: isTokensOnly ? null : card.dtype,
    table_bytes: bytesOfAll(version?.tables.places ?? parametersOf(card)),
    pooling: describePooling(card),
    tables: isTokensOnly ? null : describeTables(card, version),
    ...(isTokensOnly && {
      tables_unavailable: { code: 'model_failed', message: card.tablesUnavailable },
    }),
    learning: learning ?? null,
    error: entry.error ?? null,
    backend: service.backend?.name ?? null,
    backend_version: service.backend?.version ?? null,
    backend_reason: service.backend?.reason ?? null,
    limits: service.limits,
  }
}

function describePooling(card: ModelCard) {
  const { pooling } = card
  if (pooling === undefined) return null
  const { flavour, normalize, maxLength, droppedId } = pooling
  const drops = droppedId !== undefined
  return {
    type: 'mean',
    flavour,
    normalize,
    dimensions: embeddingWidth(pooling, card.embeddingDim),
    max_length: maxLength,
    drops_unknown: drops,
    accept_ids: acceptsIds(card),
  }
}

function describeTables({ source }: ModelCard, version: ModelVersion | undefined) {
  const { madeBy, sha256 } = version ?? {}
  if (madeBy !== undefined) return { source: madeBy }
  if (sha256 !== undefined || source.type === 'upload') return { source: 'upload', sha256: sha256 ?? null }
  if (source.type === 'folder') return { source: 'folder', files: source.files }
  const seed = Number(source.seed)
  return {
    source: 'seed',
    seed: Number.isSafeInteger(seed) ? seed : String(source.seed),
    init_std: source.initStd,
  }
}
