import type { FastifyInstance } from 'fastify'
import { planEmbedding } from '../../first-layer/embedding-plan.js'
import { inputEmbeddings } from '../../first-layer/input-embedding.js'
import { checkOutputNames } from '../../first-layer/outputs.js'
import { drive } from '../../first-layer/work/drive.js'
import { negotiateFormat } from '../../service/answer/formats/registry.js'
import { sendTensors } from '../../service/answer/send-tensors.js'
import type { Models } from '../../service/models/library/models.js'
import { embeddingSource, SOURCE_MEDIA } from '../../service/request/body/embedding-source.js'
import { documentsOf, textOptions } from '../../service/request/documents/token-documents.js'
import { tokenTypesOf } from '../../service/request/documents/token-types.js'
import { leased } from '../../service/request/lease.js'
import type { LimitVariables } from '../../service/request/limit-variables.js'

/** `POST /v1/input-embeddings`: text or ids in, tensors out. */
export function addInputEmbeddingsRoutes(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const options = {
    config: { media: { consumes: SOURCE_MEDIA, produces: 'tensors' as const } },
  }

  app.post('/v1/input-embeddings', options, async (request, reply) => {
    const { claim } = request
    const source = await embeddingSource(request, limits)
    const { outputs } = source.options
    const negotiated = negotiateFormat(request.headers.accept)
    if (outputs !== undefined) checkOutputNames(outputs, negotiated.format.single)
    const lease = leased(request, models, source.options.model)
    const model = lease instanceof Promise ? await lease : lease
    const how = textOptions(model, source.given, source.options)
    const plan = planEmbedding(model, source.options, negotiated.format)
    const tokenTypes =
      source.tokenTypes &&
      (await drive(claim, tokenTypesOf(model, plan.architecture, source.ids!, source.tokenTypes)))

    const started = performance.now()
    const documents = await documentsOf(model, source.given, how, claim)
    const tokenizeMs = performance.now() - started
    const format = negotiated.format.name
    const numTokens = documents.totalTokens
    request.figures = { format, numTokens, numWindows: undefined, tokenizeMs } // what fails from here on has had its tokens
    reply.header('server-timing', `tokenize;dur=${tokenizeMs.toFixed(3)}`)

    const recipe = tokenTypes === undefined ? plan : { tokenTypes, ...plan }
    const making = drive(claim, inputEmbeddings(model, documents, recipe))
    const answer = making instanceof Promise ? await making : making
    request.figures = { format, numTokens, numWindows: answer.counts?.numWindows, tokenizeMs }
    const encoding = { encodingFormat: source.options.encoding_format }
    await sendTensors(request, reply, negotiated, answer, encoding, limits)
  })
}
