import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.js'
import type { ModelEntry } from '../../models/entry.js'
import type { Models } from '../../models/models.js'

/** What `/v1/models` says of a model. */
export function describeModel({ card, version, state }: ModelEntry, models: Models, config: Config) {
  const { source } = card
  const seed = source.type === 'seed' ? Number(source.seed) : 0
  return {
    id: card.id,
    object: 'model',
    created: version?.created,
    owned_by: 'inlet',
    state,
    encoding: card.tokenizer.encoding,
    vocab_size: card.vocabSize,
    embedding_dim: card.embeddingDim,
    max_position_embeddings: card.maxPositionEmbeddings,
    architecture: card.architecture,
    position_embedding: card.positionEmbedding.type,
    dtype: card.dtype,
    tables:
      source.type === 'seed'
        ? {
            source: 'seed',
            seed: Number.isSafeInteger(seed) ? seed : String(source.seed),
            init_std: source.initStd,
          }
        : { source: 'upload' },
    backend: models.backend?.name,
    backend_version: models.backend?.version,
    backend_reason: models.backend?.reason,
    limits: {
      max_body_bytes: config.MAX_BODY_BYTES,
      max_json_body_bytes: config.MAX_JSON_BODY_BYTES,
      max_json_response_bytes: config.MAX_JSON_RESPONSE_BYTES,
      max_response_bytes: config.MAX_RESPONSE_BYTES,
    },
  }
}

/** `GET /v1/models` and `GET /v1/models/{model}`. */
export function addModelRoutes(app: FastifyInstance, models: Models, config: Config): void {
  const options = { config: { media: { produces: ['application/json'] } } }
  const describe = (entry: ModelEntry) => describeModel(entry, models, config)
  app.get('/v1/models', options, () => ({ object: 'list', data: models.entries().map(describe) }))
  app.get<{ Params: { model: string } }>('/v1/models/:model', options, (request) =>
    describe(models.find(request.params.model)),
  )
}
