import type { preValidationHookHandler } from 'fastify'
import { acceptsIds, type ModelCard } from '../../first-layer/cards/model-card.js'
import { responseTooLarge } from '../../first-layer/errors.js'
import { jsonAnswer } from '../../first-layer/formats/json.js'
import { countOf, type Given } from '../../first-layer/given.js'
import { Pool } from '../../first-layer/pooling/pool.js'
import { storedLength } from '../../first-layer/pooling/quantized.js'
import { IdLists } from '../../first-layer/windows/id-lists.js'
import { InletError } from '../../service/answer/error-table.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import type { Feature } from '../../service/feature.js'
import { checkModel } from '../../service/request/checks/callers.js'
import { JSON_ONLY, JSON_TYPE, JSON_UTF8 } from '../../service/request/checks/head-checks.js'
import { leased } from '../../service/request/claims.js'
import {
  askedDimensions,
  EmbeddingIds,
  pooledDocuments,
  pooledEmbedding,
} from '../../service/request/documents/embedding-ids.js'
import { embeddingsRequest } from './schemas.js'
import { staticPooling, storedVectors } from './stored-vectors.js'
import { embeddingList, vectorBytes } from './vectors-json.js'

/** `/v1/embeddings`: one embedding of each text, by static models. */
export const embeddings: Feature = {
  name: 'embeddings',
  routes(app, { models, config: limits }) {
    const options = {
      schema: { operationId: 'createEmbeddings', body: embeddingsRequest },
      config: JSON_ONLY,
      preValidation: withoutNulls,
    }
    app.post('/v1/embeddings', options, async (request, reply) => {
      const { model: id, ...body } = request.body
      const limit = limits.MAX_JSON_RESPONSE_BYTES
      const { input, ranges, encoding_format: format } = body
      checkModel(request, models, id ?? models.defaultModel)
      const card = models.card(id)
      const pooling = staticPooling(card)
      const dimensions = askedDimensions(card, pooling, body.dimensions, 'dimensions')
      checkAcceptsIds(card, input)
      const isBase64 = format === 'base64'
      const dtype = body.output_dtype ?? (isBase64 ? 'float' : format)
      const form = { dtype, isBase64, length: storedLength(dtype, dimensions) }
      const count = countOf(input)
      const bytes = count * vectorBytes(form)
      if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
      const model = await leased(request, models, id)
      const store = storedVectors(model, dtype, dimensions, ranges)
      const started = performance.now()
      const documents = await pooledDocuments(model, pooling, input, 'input', request.claim)
      const ids = new EmbeddingIds(documents, pooling)
      const promptTokens = ids.total
      request.figures = { numTokens: promptTokens, tokenizeMs: performance.now() - started }
      const pool = new Pool(model, pooling, dimensions)
      const vector = async (i: number) => store(await pooledEmbedding(pool, ids.at(i), request.claim))
      const answer = {
        ...{ object: 'list', data: embeddingList(form, count, vector) },
        ...{ model: card.id, model_version: model.version },
        output_dtype: dtype === 'float' ? undefined : dtype,
        usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
      }
      reply.header('x-model-version', model.version)
      return sendEncoded(request, reply, jsonAnswer(answer, isBase64), JSON_UTF8, limit)
    })
  },
}

/** OpenAI's API takes a null for an absent member, and clients send it. */
const withoutNulls: preValidationHookHandler = ({ body }, _, done) => {
  for (const [name, value] of Object.entries(body ?? {}))
    if (value === null) Reflect.deleteProperty(body as object, name)
  done()
}

/**
 * Refuses ids for a model that takes texts alone. OpenAI's clients send tiktoken's ids, LangChain's by default: in the
 * table of another tokenizer they are in range and mean other tokens.
 *
 * @throws InletError `unsupported_combination`
 */
function checkAcceptsIds(card: ModelCard, given: Given): void {
  if (!(given instanceof IdLists) || acceptsIds(card)) return
  const rule = `must be text for ${card.id}, whose tokenizer is its own: tiktoken’s ids mean other tokens to it`
  const how = 'In LangChain’s OpenAIEmbeddings set check_embedding_ctx_length=False'
  const own = 'Ids of the model’s own tokenizer are taken where its inlet_static.json has "accept_ids": true'
  throw new InletError('unsupported_combination', `\`input\` ${rule}. ${how}. ${own}. Given: ids`, 'input')
}
