import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkModel } from '../../callers/allowed-models.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { streamOptions } from '../../first-layer/tokens/allowed-special.js'
import type { Models } from '../../models/library/models.js'
import { renderedChat } from '../../requests/rendered-chat.js'
import { documentsOf } from '../../requests/token-documents.js'
import { preferred } from '../../wire/formats/registry.js'
import type { Given } from '../../wire/given.js'
import { renderedJson } from '../../wire/rendered-json.js'
import { pythonFields } from '../../wire/schemas/chat.js'
import { renderChatRequest, renderCompletionRequest, renderedChatOf } from '../../wire/schemas/render.js'
import { sendEncoded } from '../answers/send-encoded.js'
import { jsonBody } from '../body/json-body.js'
import type { LimitVariables } from '../limit-variables.js'

const JSON_TYPE = 'application/json'

/** What a body asks for beside its text. */
interface Asked {
  readonly target: 'vllm' | 'sglang'
  readonly add_special_tokens: boolean
}

/** `POST /v1/completions/render` and `POST /v1/chat/completions/render`: ids for those who route before an engine does. */
export function addRenderRoutes(app: FastifyInstance, models: Models, limits: LimitVariables): void {
  const options = { config: { media: { consumes: [JSON_TYPE], produces: [JSON_TYPE] } } }

  app.post('/v1/completions/render', options, async (request, reply) => {
    const body = await jsonBody(request, renderCompletionRequest, limits)
    preferred(request.headers.accept, [JSON_TYPE])
    const card = cardOf(request, body.model)
    return send(request, reply, card, body.prompt, body, {
      isList: true,
      requestId: `cmpl-${randomUUID()}`,
      texts: 'prompt',
    })
  })

  app.post('/v1/chat/completions/render', options, async (request, reply) => {
    const body = await jsonBody(request, renderChatRequest, limits, pythonFields)
    preferred(request.headers.accept, [JSON_TYPE])
    const card = cardOf(request, body.model)
    const chat = await renderedChat(card, renderedChatOf(body), limits.MAX_JSON_BODY_BYTES, request.claim)
    return send(request, reply, card, chat, body, {
      isList: false,
      requestId: `chatcmpl-${randomUUID()}`,
      texts: 'messages',
    })
  })

  function cardOf(request: FastifyRequest, id: string | null | undefined): ModelCard {
    checkModel(request, models, id ?? models.defaultModel)
    return models.card(id ?? undefined)
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    card: ModelCard,
    given: Given,
    asked: Asked,
    { isList, requestId, texts }: { isList: boolean; requestId: string; texts: string },
  ) {
    const tokenizer = await models.tokenizerOf(card)
    const started = performance.now()
    // Nobody looks rows up here: what the tokenizer gives is right.
    const spec = { tokenizer, vocabSize: Math.max(card.vocabSize, tokenizer.vocabSize) }
    const how = streamOptions(tokenizer, { add_special_tokens: asked.add_special_tokens })
    const documents = await documentsOf({ spec }, given, how, request.claim, {
      fields: { texts, ids: texts },
    })
    const tokenizeMs = performance.now() - started
    request.figures = { numTokens: documents.totalTokens, tokenizeMs }
    reply.header('server-timing', `tokenize;dur=${tokenizeMs.toFixed(3)}`)
    const frame = {
      model: card.id,
      requestId,
      ids: asked.target === 'sglang' ? 'input_ids' : 'token_ids',
      isList,
    } as const
    const answer = renderedJson(frame, documents)
    return sendEncoded(request, reply, answer, `${JSON_TYPE}; charset=utf-8`, limits.MAX_JSON_RESPONSE_BYTES)
  }
}
