import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { type Blocks, PAUSE } from '../../first-layer/steps.js'
import { type AskedTokens, streamOptions } from '../../first-layer/tokens/tokenize.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import type { EncodedAnswer } from '../../service/answer/formats/json.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import type { Feature } from '../../service/feature.js'
import { askedCard } from '../../service/request/asked-tokenizer.js'
import { pythonFields, renderedChat } from '../../service/request/chat/chat.js'
import { JSON_ONLY, JSON_UTF8 } from '../../service/request/checks/head-checks.js'
import { documentsOf } from '../../service/request/documents/token-documents.js'
import type { Given } from '../../service/request/fields/given-field.js'
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
      return send(request, reply, card, body.prompt, body, {
        isList: true,
        requestId: `cmpl-${randomUUID()}`,
        texts: 'prompt',
      })
    })

    app.post('/v1/chat/completions/render', chat, async (request, reply) => {
      const { body } = request
      const card = askedCard(request, models, body.model)
      const text = await renderedChat(card, renderedChatOf(body), limits.MAX_JSON_BODY_BYTES, request.claim)
      return send(request, reply, card, text, body, {
        isList: false,
        requestId: `chatcmpl-${randomUUID()}`,
        texts: 'messages',
      })
    })

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
      // No row is looked up here: every id of the tokenizer is right.
      const spec = { tokenizer, vocabSize: Math.max(card.vocabSize, tokenizer.vocabSize) }
      const how = streamOptions(tokenizer, asked)
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
      return sendEncoded(request, reply, answer, JSON_UTF8, limits.MAX_JSON_RESPONSE_BYTES)
    }
  },
}

interface Asked extends AskedTokens {
  readonly target: 'vllm' | 'sglang'
}

/** Ids written at a time: some tenths of a millisecond. */
const SLICE = 4096
/** Bytes that `size` counts for an id that is not written yet, its comma included. */
const ID_BYTES = 7

interface RenderedFrame {
  readonly model: string
  /** `cmpl-…`; each document's gets its place behind it where there are several. */
  readonly requestId: string
  readonly ids: 'token_ids' | 'input_ids'
  /** Whether the answer is an array, one object for each document. */
  readonly isList: boolean
}

/**
 * The ids of rendered prompts as engines' renderers answer them: `{"request_id":"cmpl-…","model":"llama",
 * "token_ids":[1,2],"features":null}`, of completions an array of these.
 */
function renderedJson(frame: RenderedFrame, documents: Documents): EncodedAnswer {
  const { model, requestId, ids, isList } = frame
  const opening = (d: number) => {
    const id = isList && documents.count > 1 ? `${requestId}-${d}` : requestId
    return `${JSON.stringify({ request_id: id, model }).slice(0, -1)},"${ids}":[`
  }
  let size = 2
  for (let d = 0; d < documents.count; d++)
    size += opening(d).length + ID_BYTES * documents.length(d) + CLOSING.length
  return { size, exact: false, headers: {}, body: blocks(documents, opening, isList) }
}

const CLOSING = '],"features":null}'

function* blocks(documents: Documents, opening: (d: number) => string, isList: boolean): Blocks {
  const numbers = new Int32Array(SLICE)
  for (let d = 0; d < documents.count; d++) {
    const before = d > 0 ? ',' : isList ? '[' : ''
    yield Buffer.from(before + opening(d))
    const length = documents.length(d)
    for (let from = 0; from < length; from += SLICE) {
      const part = numbers.subarray(0, Math.min(SLICE, length - from))
      documents.copyTo(part, 0, d, from, part.length)
      yield Buffer.from(from === 0 ? part.join() : `,${part.join()}`)
      yield PAUSE
    }
    yield Buffer.from(CLOSING)
  }
  if (isList) yield Buffer.from(']')
}
