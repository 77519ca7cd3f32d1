import type { FastifyInstance } from 'fastify'
import { checkModel } from '../../callers/allowed-models.js'
import { storedLength } from '../../first-layer/pooling/quantized.js'
import type { Models } from '../../models/library/models.js'
import { askedDimensions, staticPooling } from '../../requests/static-model.js'
import { storedVectors } from '../../requests/stored-vectors.js'
import { responseTooLarge } from '../../requests/too-large.js'
import { type AskedCut, checkLengths, truncatedPooling } from '../../requests/truncated-pooling.js'
import { COHERE_TEXT, cohereEmbedJson, cohereForm } from '../../wire/cohere-embed-json.js'
import { preferred } from '../../wire/formats/registry.js'
import { countOf } from '../../wire/given.js'
import { cohereEmbedRequest } from '../../wire/schemas/cohere-embed.js'
import { vectorsBytes } from '../../wire/vectors-json.js'
import { sendEncoded } from '../answers/send-encoded.js'
import { jsonBody } from '../body/json-body.js'
import type { LimitVariables } from '../limit-variables.js'
import { pooledTexts } from './pooled-texts.js'

const JSON_TYPE = 'application/json'
const FIELDS = { texts: 'texts', ids: 'texts' }

/** `POST /v2/embed`, as Cohere's: embeddings of texts in one type or several, by a static model. */
export function addCohereEmbedRoute(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const options = { config: { media: { consumes: [JSON_TYPE], produces: [JSON_TYPE] } } }
  const limit = limits.MAX_JSON_RESPONSE_BYTES
  app.post('/v2/embed', options, async (request, reply) => {
    const body = await jsonBody(request, cohereEmbedRequest, limits)
    preferred(request.headers.accept, [JSON_TYPE])
    checkModel(request, models, body.model ?? models.defaultModel)
    const card = models.card(body.model)
    const own = staticPooling(card)
    const dimensions = askedDimensions(card, body.output_dimension, 'output_dimension')
    const input = body.texts ?? givenInputs(body.inputs ?? [])
    const lists = body.embedding_types.map((type, i) => {
      const form = cohereForm(type)
      const fields = { dtype: `embedding_types.${i}`, ranges: undefined }
      const stored = storedVectors(card, { ...form, dimensions }, fields)
      const length = storedLength(form.dtype, dimensions)
      return { type, stored, list: { ...form, ...COHERE_TEXT, count: countOf(input), length } }
    })
    const bytes = lists.reduce((sum, { list }) => sum + vectorsBytes(list), 0)
    if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
    const cut = body.truncate.toLowerCase() as AskedCut
    const pooling = truncatedPooling(own, cut, body.max_tokens)
    const texts = await pooledTexts(request, models, { id: body.model, pooling, input, fields: FIELDS })
    if (cut === 'none') checkLengths(texts.ids, own, 'texts', body.max_tokens)
    request.trace?.enter('embed')
    const made = lists.map(
      ({ type, stored, list }) => [type, { ...list, vector: texts.vectors(dimensions, stored) }] as const,
    )
    const encoded = cohereEmbedJson(request.id, texts.numTokens, made)
    reply.header('x-model-version', texts.model.version)
    return sendEncoded(request, reply, encoded, `${JSON_TYPE}; charset=utf-8`, limit)
  })
}

function givenInputs(
  inputs: readonly { readonly content: readonly { readonly text?: string | undefined }[] }[],
) {
  return inputs.map(({ content }) => content[0]?.text ?? '')
}
