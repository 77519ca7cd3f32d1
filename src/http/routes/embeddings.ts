import type { FastifyInstance } from 'fastify'
import { checkModel } from '../../callers/allowed-models.js'
import { InletError } from '../../errors.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { Pool } from '../../first-layer/pooling/pool.js'
import type { Pooling } from '../../first-layer/pooling/pooling.js'
import type { Models } from '../../models/library/models.js'
import { EmbeddingIds, pooledDocuments } from '../../requests/embedding-ids.js'
import { responseTooLarge } from '../../requests/too-large.js'
import { embeddingsBytes, embeddingsJson } from '../../wire/embeddings-json.js'
import { preferred } from '../../wire/formats/registry.js'
import { embeddingsRequest } from '../../wire/schemas/embeddings.js'
import { sendEncoded } from '../answers/send-encoded.js'
import { jsonBody, letGo } from '../body/json-body.js'
import { leased } from '../lifetime/lease.js'
import type { LimitVariables } from '../limit-variables.js'

const FIELDS = { texts: 'input', ids: 'input' }
const JSON_TYPE = 'application/json'

/** `POST /v1/embeddings`, as OpenAI's: one embedding of each text, by a static model. */
export function addEmbeddingsRoute(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const options = { config: { media: { consumes: [JSON_TYPE], produces: [JSON_TYPE] } } }
  const limit = limits.MAX_JSON_RESPONSE_BYTES
  app.post('/v1/embeddings', options, async (request, reply) => {
    const {
      input,
      model: id,
      dimensions,
      encoding_format: encodingFormat,
    } = await jsonBody(request, embeddingsRequest, limits)
    preferred(request.headers.accept, [JSON_TYPE])
    checkModel(request, models, id ?? models.defaultModel)
    const card = models.card(id)
    const pooling = checkedPooling(card, dimensions)
    const answer = { count: input.count, dimensions: dimensions ?? card.embeddingDim, encodingFormat }
    const bytes = embeddingsBytes(answer)
    if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
    const model = await leased(request, models, id)
    const { claim } = request
    const started = performance.now()
    request.trace?.enter('tokenize')
    const ids = new EmbeddingIds(await pooledDocuments(model, pooling, input, FIELDS, claim), pooling)
    letGo(request, input)
    const numTokens = ids.total
    request.figures = { numTokens, tokenizeMs: performance.now() - started }
    request.trace?.enter('embed')
    const pool = new Pool(model, pooling, dimensions)
    const frame = { ...answer, model: card.id, modelVersion: model.version, promptTokens: numTokens }
    const encoded = embeddingsJson(frame, (i) => pool.embedding(ids.at(i)))
    reply.header('x-model-version', model.version)
    return sendEncoded(request, reply, encoded, `${JSON_TYPE}; charset=utf-8`, limit)
  })
}

/** @throws InletError `unsupported_combination` for a model that is not static, or narrower than `dimensions` */
function checkedPooling({ id, modelType, embeddingDim, pooling }: ModelCard, dimensions = 1): Pooling {
  if (pooling === undefined) {
    const rule = 'must be a static model, of Model2Vec’s or sentence-transformers’ layout'
    const why =
      'Of any other, the rows of its first layer are no embedding of a text: see /v1/input-embeddings'
    const message = `\`model\` ${rule}. ${why}. Given: ${id}, of type ${modelType}`
    throw new InletError('unsupported_combination', message, 'model')
  }
  if (dimensions <= embeddingDim) return pooling
  const message = `\`dimensions\` must be at most ${embeddingDim}, the width of ${id}. Given: ${dimensions}`
  throw new InletError('invalid_request', message, 'dimensions')
}
