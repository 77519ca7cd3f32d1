import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { type ChatDocument, lossMask, maskedChat } from '../../first-layer/datasets/chats/chat-documents.js'
import { documentsOf } from '../../first-layer/documents.js'
import { ID_BYTES, jsonAnswer, listOf, numberSlices } from '../../first-layer/formats/json.js'
import type { Given } from '../../first-layer/given.js'
import { type AskedTokens, streamOptions } from '../../first-layer/tokens/tokenize.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import type { Feature } from '../../service/feature.js'
import { askedCard } from '../../service/request/asked-tokenizer.js'
import { pythonFields, renderedChat } from '../../service/request/chat/chat.js'
import { JSON_ONLY, JSON_UTF8 } from '../../service/request/checks/head-checks.js'
import { edgeOf } from '../../service/request/claims.js'
import { renderChatRequest, renderCompletionRequest, renderedChatOf } from './render.js'

/** `/v1/completions/render`, `/v1/chat/completions/render`: a prompt’s text and ids, as a model server would make them. */
export const chat: Feature = {
  name: 'chat',
  routes(app, { models, config: limits }) {
    const completion = {
      schema: { operationId: 'renderCompletion', body: renderCompletionRequest },
      config: JSON_ONLY,
    }
    const chat = {
      schema: { operationId: 'renderChat', body: renderChatRequest },
      config: { ...JSON_ONLY, change: pythonFields },
    }

    app.post('/v1/completions/render', completion, async (request, reply) => {
      const { body } = request
      const card = askedCard(request, models, body.model)
      return send(request, reply, card, body, 'prompt', body.prompt)
    })

    app.post('/v1/chat/completions/render', chat, async (request, reply) => {
      const { body } = request
      const card = askedCard(request, models, body.model)
      const given = renderedChatOf(body)
      const { MAX_JSON_BODY_BYTES: most } = limits
      const masked = body.return_assistant_tokens_mask
        ? await maskedChat(card, given, undefined, most, edgeOf(request.claim))
        : undefined
      const text = masked?.text ?? (await renderedChat(card, given, most, request.claim))
      return send(request, reply, card, body, 'messages', text, masked)
    })

    /** @param field of the texts: of prompts the answer is an array, one object for each */
    async function send(
      request: FastifyRequest,
      reply: FastifyReply,
      card: ModelCard,
      asked: AskedTokens & { readonly target: 'vllm' | 'sglang' },
      field: 'prompt' | 'messages',
      given: Given,
      masked?: ChatDocument,
    ) {
      const tokenizer = await models.tokenizerOf(card)
      const started = performance.now()
      // No row is looked up here: every id of the tokenizer is right.
      const spec = { tokenizer, vocabSize: Math.max(card.vocabSize, tokenizer.vocabSize) }
      const how = { ...streamOptions(tokenizer, asked), ranges: masked !== undefined }
      const documents = await documentsOf({ spec }, given, how, edgeOf(request.claim), field)
      const tokenizeMs = performance.now() - started
      request.figures = { numTokens: documents.totalTokens, tokenizeMs }
      reply.header('server-timing', `tokenize;dur=${tokenizeMs.toFixed(3)}`)
      const isList = field === 'prompt'
      const requestId = `${isList ? 'cmpl' : 'chatcmpl'}-${randomUUID()}`
      const each = Array.from({ length: documents.count }, (_, d) => ({
        request_id: documents.count > 1 ? `${requestId}-${d}` : requestId,
        model: card.id,
        [asked.target === 'sglang' ? 'input_ids' : 'token_ids']: listOf(
          numberSlices(idBlocks(documents, d)),
          2 + ID_BYTES * documents.length(d),
        ),
        ...(masked && { assistant_tokens_mask: [...lossMask(tokenizer, masked, documents.ids)] }),
        features: null,
      }))
      const answer = jsonAnswer(isList ? each : each[0])
      return sendEncoded(request, reply, answer, JSON_UTF8, limits.MAX_JSON_RESPONSE_BYTES)
    }
  },
}

function* idBlocks(documents: Documents, d: number): Generator<Int32Array, void, void> {
  for (let from = 0; from < documents.length(d); from += 4096) {
    const block = new Int32Array(Math.min(4096, documents.length(d) - from))
    documents.copyTo(block, 0, d, from, block.length)
    yield block
  }
}
