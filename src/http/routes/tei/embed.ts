import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkModel } from '../../../callers/allowed-models.js'
import { InletError } from '../../../errors.js'
import type { Models } from '../../../models/library/models.js'
import { withPrompt } from '../../../requests/named-prompt.js'
import { askedDimensions, checkAcceptsIds, staticPooling } from '../../../requests/static-model.js'
import { storedVectors } from '../../../requests/stored-vectors.js'
import { responseTooLarge } from '../../../requests/too-large.js'
import { type AskedCut, checkLengths, truncatedPooling } from '../../../requests/truncated-pooling.js'
import { preferred } from '../../../wire/formats/registry.js'
import { countOf } from '../../../wire/given.js'
import { IdLists } from '../../../wire/id-lists.js'
import { teiEmbedRequest, teiOpenAiRequest } from '../../../wire/schemas/tei.js'
import { vectorsBytes, vectorsJson } from '../../../wire/vectors-json.js'
import { sendEncoded } from '../../answers/send-encoded.js'
import { jsonBody } from '../../body/json-body.js'
import type { LimitVariables } from '../../limit-variables.js'
import type { ModelPath } from '../admin/model-path.js'
import { answerEmbeddings } from '../embeddings.js'
import { pooledTexts } from '../pooled-texts.js'

const JSON_TYPE = 'application/json'
const FIELDS = { texts: 'inputs', ids: 'inputs' }
const FLOATS = { dtype: 'float', isBase64: false } as const
const NO_FIELDS = { dtype: 'inputs', ranges: undefined }

/** `POST /tei/{model}` and `/embed`, `/embed_sparse`, `/v1/embeddings` below it. */
export function addTeiEmbed(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const options = { config: { media: { consumes: [JSON_TYPE], produces: [JSON_TYPE] } } }
  const limit = limits.MAX_JSON_RESPONSE_BYTES

  const embed = async (request: FastifyRequest<{ Params: { model: string } }>, reply: FastifyReply) => {
    const { model: id } = request.params
    checkModel(request, models, id)
    const card = models.card(id) // first: what is no route below a model is another model's name
    const body = await jsonBody(request, teiEmbedRequest, limits)
    preferred(request.headers.accept, [JSON_TYPE])
    const { inputs: input } = body
    const own = withPrompt(staticPooling(card), body.prompt_name)
    const dimensions = askedDimensions(card, body.dimensions ?? undefined, 'dimensions')
    checkAcceptsIds(card, input, 'inputs')
    if (body.prompt_name && input instanceof IdLists) {
      throw new InletError('invalid_request', '`prompt_name` must not be given beside ids', 'prompt_name')
    }
    const list = { ...FLOATS, count: countOf(input), length: dimensions, before: commaBefore, after: '' }
    const bytes = vectorsBytes(list)
    if (bytes > limit) throw responseTooLarge(JSON_TYPE, limit, `at least ${bytes} bytes`)
    const cut = cutOf(body)
    const pooling = { ...truncatedPooling(own, cut), normalize: body.normalize }
    const texts = await pooledTexts(request, models, { id, pooling, input, fields: FIELDS })
    if (cut === 'none') checkLengths(texts.ids, own, 'inputs')
    request.trace?.enter('embed')
    const vector = texts.vectors(dimensions, storedVectors(card, { ...FLOATS, dimensions }, NO_FIELDS))
    reply.header('x-model-version', texts.model.version)
    const encoded = vectorsJson(['[', { ...list, vector }, ']'])
    return sendEncoded(request, reply, encoded, `${JSON_TYPE}; charset=utf-8`, limit)
  }

  app.post<ModelPath>('/tei/:model', options, embed)
  app.post<ModelPath>('/tei/:model/embed', options, embed)

  app.post<ModelPath>('/tei/:model/embed_sparse', options, async ({ params }) => {
    const rule = 'must be one with sparse embeddings (SPLADE), which static models have not'
    const message = `\`model\` ${rule}. Given: ${models.card(params.model).id}`
    throw new InletError('unsupported_combination', message, 'model')
  })

  app.post<ModelPath>('/tei/:model/v1/embeddings', options, async (request, reply) => {
    const given = await jsonBody(request, teiOpenAiRequest, limits)
    const { input, encoding_format } = given
    const dimensions = given.dimensions ?? undefined
    return answerEmbeddings(request, reply, {
      ...{ id: request.params.model, models, limits },
      body: { input, encoding_format, ...(dimensions !== undefined && { dimensions }) },
      pooled: (own) => ({ ...own, normalize: true }),
    })
  })
}

function commaBefore(i: number): string {
  return i === 0 ? '' : ','
}

function cutOf(asked: { truncate?: boolean | null | undefined; truncation_direction: string }): AskedCut {
  if (asked.truncate === false) return 'none'
  return asked.truncation_direction.toLowerCase() === 'left' ? 'start' : 'end'
}
