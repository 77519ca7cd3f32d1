import { documentsOf, textOptions } from '../../first-layer/documents.js'
import { checkHasTables } from '../../first-layer/embeddings/model.js'
import { jsonAnswer } from '../../first-layer/formats/json.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import type { Feature } from '../../service/feature.js'
import { pythonFields, renderedChat } from '../../service/request/chat/chat.js'
import { JSON_ONLY, JSON_UTF8 } from '../../service/request/checks/head-checks.js'
import { edgeOf, leased } from '../../service/request/claims.js'
import { checkPromptLengths, checkPromptTarget, promptFields } from './prompt-rows.js'
import { promptEmbedsRequest } from './schemas.js'

/** `/v1/prompt-embeds`: rows for model servers that take embeddings instead of text. */
export const promptEmbeds: Feature = {
  name: 'prompt-embeds',
  routes(app, { models, config: limits }) {
    const options = {
      schema: { operationId: 'createPromptEmbeds', body: promptEmbedsRequest },
      config: { ...JSON_ONLY, change: pythonFields },
    }
    app.post('/v1/prompt-embeds', options, async (request, reply) => {
      const { body } = request
      const model = await leased(request, models, body.model)
      const { claim } = request
      const { spec } = model
      checkHasTables(spec)
      const { text, input_ids: ids, messages, target, dtype = spec.dtype } = body
      const limit = limits.MAX_JSON_BODY_BYTES
      const given = messages
        ? await renderedChat(models.card(body.model), { ...body, messages }, limit, claim)
        : (ids ?? text)!
      const asked = messages ? { ...body, add_special_tokens: false } : body // a template writes the special tokens itself
      const how = textOptions(model, given, asked)
      checkPromptTarget(spec, target)

      const started = performance.now()
      const documents = await documentsOf(model, given, how, edgeOf(claim))
      const tokenizeMs = performance.now() - started
      request.figures = { format: 'json', numTokens: documents.totalTokens, tokenizeMs }
      checkPromptLengths(documents)
      reply.header('server-timing', `tokenize;dur=${tokenizeMs.toFixed(3)}`)
      reply.header('x-model-version', model.version)

      const lengths = Array.from({ length: documents.count }, (_, d) => documents.length(d))
      const answer = jsonAnswer({
        ...{ model: spec.id, model_version: model.version },
        ...promptFields(model, documents, { target, dtype }),
        num_tokens: lengths,
        shape: lengths.map((length) => [length, spec.embeddingDim]),
      })
      return sendEncoded(request, reply, answer, JSON_UTF8, limits.MAX_JSON_RESPONSE_BYTES)
    })
  },
}
