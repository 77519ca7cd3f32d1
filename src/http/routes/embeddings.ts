import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { checkModel } from '../../callers/allowed-models.js'
import type { Pooling } from '../../first-layer/pooling/pooling.js'
import { storedLength } from '../../first-layer/pooling/quantized.js'
import type { Models } from '../../models/library/models.js'
import { askedDimensions, checkAcceptsIds, staticPooling } from '../../requests/static-model.js'
import { storedVectors } from '../../requests/stored-vectors.js'
import { responseTooLarge } from '../../requests/too-large.js'
import { EMBEDDING_TEXT, embeddingsJson } from '../../wire/embeddings-json.js'
import { preferred } from '../../wire/formats/registry.js'
import { countOf } from '../../wire/given.js'
import { askedForm, embeddingsRequest } from '../../wire/schemas/embeddings.js'
import { vectorsBytes } from '../../wire/vectors-json.js'
import { sendEncoded } from '../answers/send-encoded.js'
import { jsonBody } from '../body/json-body.js'
import type { LimitVariables } from '../limit-variables.js'
import { pooledTexts } from './pooled-texts.js'

const FIELDS = { texts: 'input', ids: 'input' }
const VECTOR_FIELDS = { dtype: 'output_dtype', ranges: 'ranges' }
const JSON_TYPE = 'application/json'

/** `POST /v1/embeddings`, as OpenAI's: one embedding of each text, by a static model. */
export function addEmbeddingsRoute(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const options = { config: { media: { consumes: [JSON_TYPE], produces: [JSON_TYPE] } } }
  app.post('/v1/embeddings', options, async (request, reply) => {
    const { model: id, ...body } = await jsonBody(request, embeddingsRequest, limits)
    return answerEmbeddings(request, reply, { id, body, models, limits })
  })
}

interface EmbeddingsCall {
  /** Id of the model; undefined: the default one. */
  readonly id: string | undefined
  readonly body: Omit<z.infer<typeof embeddingsRequest>, 'model'>
  readonly models: Models
  readonly limits: LimitVariables
  /** Changes how the model pools. */
  pooled?(own: Pooling): Pooling
}

/** Answers a request in OpenAI's form. */
export async function answerEmbeddings(
  request: FastifyRequest,
  reply: FastifyReply,
  { id, body, models, limits, pooled = (own) => own }: EmbeddingsCall,
): Promise<void> {
  const limit = limits.MAX_JSON_RESPONSE_BYTES
  const { input, ranges } = body
  preferred(request.headers.accept, [JSON_TYPE])
  checkModel(request, models, id ?? models.defaultModel)
  const card = models.card(id)
  const pooling = pooled(staticPooling(card))
  const dimensions = askedDimensions(card, body.dimensions, 'dimensions')
  checkAcceptsIds(card, input, 'input')
  const form = askedForm(body)
  const stored = storedVectors(card, { ...form, dimensions, ranges }, VECTOR_FIELDS)
  const length = storedLength(form.dtype, dimensions)
  const list = { ...form, ...EMBEDDING_TEXT, count: countOf(input), length }
  const bytes = vectorsBytes(list)
  if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
  const texts = await pooledTexts(request, models, { id, pooling, input, fields: FIELDS })
  const { version: modelVersion } = texts.model
  request.trace?.enter('embed')
  const frame = { model: card.id, modelVersion, promptTokens: texts.numTokens }
  const encoded = embeddingsJson(frame, { ...list, vector: texts.vectors(dimensions, stored) })
  reply.header('x-model-version', modelVersion)
  return sendEncoded(request, reply, encoded, `${JSON_TYPE}; charset=utf-8`, limit)
}
