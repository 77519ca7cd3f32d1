import { type EmbeddingBody, embeddingRequest, rawTextOptions } from '../../checkpoints/embedding-request.js'
import { embed } from '../../first-layer/embed.js'
import { checkOutputNames } from '../../first-layer/outputs.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import { sendTensors } from '../../service/answer/send-encoded.js'
import type { Feature } from '../../service/feature.js'
import { rawText } from '../../service/request/body/read-body.js'
import { edgeOf, leased } from '../../service/request/claims.js'

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
      const hasIds = ({ totalTokens: numTokens }: Documents, tokenizeMs: number) => {
        request.figures = { format: negotiated.format.name, numTokens, numWindows: undefined, tokenizeMs } // what fails from here on has had its tokens
        reply.header('server-timing', `tokenize;dur=${tokenizeMs.toFixed(3)}`)
      }
      const answer = await embed(model, given, options, {
        format: negotiated.format,
        tokenTypes: body?.token_type_ids,
        edge: edgeOf(claim, hasIds),
      })
      request.figures!.numWindows = answer.counts?.numWindows
      return sendTensors(request, reply, answer, options.encoding_format, limits)
    })
  },
}
