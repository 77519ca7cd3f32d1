import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.js'
import type { Model } from '../../embeddings/model.js'
import { inputEmbeddings } from '../../input-embedding.js'
import type { Documents } from '../../windows/documents.js'
import { negotiateFormat } from '../../wire/formats/registry.js'
import { type EmbeddingBody, embeddingRequest } from '../../wire/schemas/embedding-request.js'
import { parse } from '../../wire/schemas/issue.js'
import { allowedSpecialSet } from '../allowed-special.js'
import { planEmbedding } from '../embedding-plan.js'
import { findModel } from '../find-model.js'
import { sendTensors } from '../send-tensors.js'
import { documentsOfIds, documentsOfTexts } from '../token-documents.js'
import { tokenTypesOf } from '../token-types.js'

/** `POST /v1/input-embeddings`: text or ids in, tensors out. */
export function addEmbeddingRoutes(app: FastifyInstance, defaultModel: () => Model, config: Config): void {
  const limits = {
    maxJsonResponseBytes: config.MAX_JSON_RESPONSE_BYTES,
    maxResponseBytes: config.MAX_RESPONSE_BYTES,
  }
  const options = {
    config: { needsModel: true, media: { consumes: ['application/json'], produces: 'tensors' as const } },
  }

  app.post('/v1/input-embeddings', options, async (request, reply) => {
    const body = parse(embeddingRequest, request.body)
    const model = findModel(defaultModel(), body.model)
    const negotiated = negotiateFormat(request.headers.accept)
    const plan = planEmbedding(model, body, negotiated.format)
    const tokenTypes = tokenTypesOf(model, plan.architecture, body)

    const started = performance.now()
    const documents = await documentsOf(model, body)
    const tokenizeMs = performance.now() - started
    reply.header('server-timing', `tokenize;dur=${tokenizeMs.toFixed(3)}`)

    const answer = await inputEmbeddings(model, documents, { ...plan, tokenTypes })
    const { numTokens, numWindows } = answer.counts ?? {}
    Object.assign(request.figures, { format: negotiated.format.name, numTokens, numWindows, tokenizeMs })
    await sendTensors(request, reply, negotiated, answer, { encodingFormat: body.encoding_format }, limits)
  })
}

async function documentsOf(model: Model, body: EmbeddingBody): Promise<Documents> {
  if (body.input_ids !== undefined) return documentsOfIds(model, body.input_ids)
  const allowed = allowedSpecialSet(model.spec.encoding, body.allowed_special)
  if (typeof body.text === 'string') return documentsOfTexts(model, [body.text], allowed, () => 'text')
  return documentsOfTexts(model, body.text ?? [], allowed, (i) => `text.${i}`)
}
