import {
  acceptsIds,
  describeTokenizer,
  encodingName,
  type ModelCard,
  padTokenIdOf,
} from '../../first-layer/cards/model-card.js'
import { parametersOf } from '../../first-layer/cards/seed-card.js'
import { bytesOfAll } from '../../first-layer/embeddings/table-memory.js'
import { type DiskTableCard, diskTables } from '../../first-layer/lookups/lookup-card.js'
import { embeddingWidth } from '../../first-layer/pooling/pooling.js'
import { ITEM_BYTES } from '../../first-layer/tensors/named-tensor.js'
import type { ModelEntry, ModelVersion } from '../../models/entry.js'
import type { Models } from '../../service/models/library/models.js'
import type { LimitVariables } from '../../service/process/config.js'

/** Makes the body that `GET /v1/models/{model}` answers. */
export type Describe = (entry: ModelEntry) => Promise<object>

/** Makes the function that describes a model. It loads the model's tokenizer where that is not loaded yet. */
export function describing(limits: LimitVariables, models: Models): Describe {
  const bytes = ['BODY_BYTES', 'JSON_BODY_BYTES', 'JSON_RESPONSE_BYTES', 'RESPONSE_BYTES'] as const
  const names = [...bytes, 'DOCUMENTS'] as const
  const shown = Object.fromEntries(names.map((name) => [`max_${name.toLowerCase()}`, limits[`MAX_${name}`]]))
  const started = Math.floor(Date.now() / 1000) // for models that have no tables yet
  return async (entry) => {
    const { card, version, state } = entry
    if (entry.hasNoCard) return { id: card.id, object: 'model', owned_by: 'inlet', state, error: entry.error }
    const tokenizer = await models.tokenizerOf(card)
    const learning = entry.isOwned ? await models.facts.get('learning')?.(card.id) : undefined
    const padTokenId = padTokenIdOf(card, tokenizer)
    const isTokensOnly = card.tablesUnavailable !== undefined
    // Special tokens whose ids have no row are left out.
    const hasRow = (id: number | undefined) => id !== undefined && id < card.vocabSize
    return {
      id: card.id,
      object: 'model',
      created: version?.created ?? started,
      owned_by: 'inlet',
      state,
      model_version: version === undefined ? null : String(version.number),
      model_type: card.modelType,
      encoding: encodingName(card) ?? null,
      tokenizer: describeTokenizer(card.tokenizer, tokenizer),
      tokenizer_sha256: 'key' in card.tokenizer ? card.tokenizer.key : null,
      revision: card.revision ?? null,
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
      ...describeLookups(card),
      pooling: describePooling(card),
      tables: isTokensOnly ? null : describeTables(card, version),
      ...(isTokensOnly && {
        tables_unavailable: { code: 'model_failed', message: card.tablesUnavailable },
      }),
      learning: learning ?? null,
      error: entry.error ?? null,
      backend: models.backend?.name ?? null,
      backend_version: models.backend?.version ?? null,
      backend_reason: models.backend?.reason ?? null,
      limits: shown,
    }
  }
}

function describePooling(card: ModelCard) {
  const { pooling } = card
  if (pooling === undefined) return null
  const { flavour, normalize, maxLength, droppedId } = pooling
  return {
    type: 'mean',
    flavour,
    normalize,
    dimensions: embeddingWidth(pooling, card.embeddingDim),
    max_length: maxLength,
    drops_unknown: droppedId !== undefined,
    accept_ids: acceptsIds(card),
  }
}

/** What the model looks up or takes beside a token's row. Multipliers are decimals beyond 2^53. */
function describeLookups({ lookups }: ModelCard) {
  const { perLayer, ngrams, streams } = lookups ?? {}
  const bytes = ({ rows, width, stored }: DiskTableCard) => rows * width * ITEM_BYTES[stored]
  const exact = (decimal: string) => (Number.isSafeInteger(Number(decimal)) ? Number(decimal) : decimal)
  return {
    disk_table_bytes: diskTables(lookups ?? {}).reduce((sum, table) => sum + bytes(table), 0),
    hidden_streams: streams?.count ?? 1,
    memory:
      perLayer === undefined && ngrams === undefined
        ? null
        : {
            ...(perLayer && {
              per_layer: { layers: perLayer.layers, width: perLayer.width, rows: perLayer.table.rows },
            }),
            ...(ngrams && {
              ngrams: ngrams.tables.map(({ layer, table, heads, hashes, multipliers }) => ({
                ...{ layer, heads, width: table.width, rows: table.rows },
                sizes: hashes.flatMap(({ sizes }) => sizes),
                offsets: hashes.flatMap(({ offsets }) => offsets),
                ...{ multipliers: multipliers.map(exact), context: ngrams.context },
              })),
            }),
          },
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
