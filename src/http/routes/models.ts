import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.js'
import type { Model } from '../../embeddings/model.js'
import { findModel } from '../../requests/find-model.js'

/** What `/v1/models` says of a model. */
export function describeModel(model: Model, config: Config) {
  const { spec } = model
  const seed = Number(spec.seed)
  return {
    id: spec.id,
    object: 'model',
    created: model.created,
    owned_by: 'inlet',
    encoding: spec.encoding.name,
    vocab_size: spec.vocabSize,
    embedding_dim: spec.embeddingDim,
    max_position_embeddings: spec.maxPositionEmbeddings,
    architecture: spec.architecture.name,
    position_embedding: spec.position.type,
    dtype: 'float32',
    tables: {
      source: 'seed',
      seed: Number.isSafeInteger(seed) ? seed : String(spec.seed),
      init_std: spec.initStd,
    },
    backend: model.backend.name,
    backend_version: model.backend.version,
    backend_reason: model.backend.reason,
    limits: {
      max_body_bytes: config.MAX_BODY_BYTES,
      max_json_body_bytes: config.MAX_JSON_BODY_BYTES,
      max_json_response_bytes: config.MAX_JSON_RESPONSE_BYTES,
      max_response_bytes: config.MAX_RESPONSE_BYTES,
    },
  }
}

/** `GET /v1/models` and `GET /v1/models/{model}`. */
export function addModelRoutes(app: FastifyInstance, model: () => Model, config: Config): void {
  const options = { config: { needsModel: true, media: { produces: ['application/json'] } } }
  app.get('/v1/models', options, () => ({ object: 'list', data: [describeModel(model(), config)] }))
  app.get<{ Params: { model: string } }>('/v1/models/:model', options, (request) =>
    describeModel(findModel(model(), request.params.model), config),
  )
}
