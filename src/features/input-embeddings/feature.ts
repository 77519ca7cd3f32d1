import { planEmbedding } from '../../first-layer/embedding-plan.js'
import { checkOutputNames } from '../../first-layer/outputs.js'
import { sendTensors } from '../../service/answer/send-encoded.js'
import type { Feature } from '../../service/feature.js'
import { rawText } from '../../service/request/body/read-body.js'
import { leased } from '../../service/request/claims.js'
import { tokenTypesOf } from '../../service/request/documents/id-documents.js'
import { documentsOf, textOptions } from '../../service/request/documents/token-documents.js'
import { inputEmbeddings as embed } from '../../service/request/embed.js'
import {
  type EmbeddingBody,
  embeddingRequest,
  rawTextOptions,
} from '../../service/request/fields/embedding-request.js'

/** `/v1/input-embeddings`: text or ids in, tensors out. */
export const inputEmbeddings: Feature = {
  name: 'input-embeddings',
  routes(app, { models, config: limits }) {
    const route = {
      schema: { operationId: 'createInputEmbeddings', body: embeddingRequest, querystring: rawTextOptions },
      config: { media: { consumes: ['application/json', 'text/plain'], produces: 'tensors' as const } },
    }
    app.post('/v1/input-embeddings', route, async (request, reply) => {
      const { claim, negotiated } = request
      const body = request.body as EmbeddingBody | null // null: a text that is read while it is tokenized
      const options = body ?? request.query
      const given = body === null ? rawText(request, limits.MAX_BODY_BYTES) : (body.input_ids ?? body.text)!
      const { outputs } = options
      if (outputs !== undefined) checkOutputNames(outputs, negotiated.format.single)
      const lease = leased(request, models, options.model)
      const model = lease instanceof Promise ? await lease : lease
      const how = textOptions(model, given, options)
      const plan = planEmbedding(model, options, negotiated.format)
      const tokenTypes =
        body?.token_type_ids &&
        (await tokenTypesOf(model, plan.architecture, body.input_ids!, body.token_type_ids, claim))

      const started = performance.now()
      const documents = await documentsOf(model, given, how, claim)
      const tokenizeMs = performance.now() - started
      const format = negotiated.format.name
      const numTokens = documents.totalTokens
      request.figures = { format, numTokens, numWindows: undefined, tokenizeMs } // what fails from here on has had its tokens
      reply.header('server-timing', `tokenize;dur=${tokenizeMs.toFixed(3)}`)

      const recipe = tokenTypes === undefined ? plan : { tokenTypes, ...plan }
      const answer = await embed(model, documents, recipe, claim)
      request.figures = { format, numTokens, numWindows: answer.counts?.numWindows, tokenizeMs }
      const encoding = { encodingFormat: options.encoding_format }
      return sendTensors(request, reply, negotiated, answer, encoding, limits)
    })
  },
}
