import { lossMask, maskedChat } from '../../first-layer/datasets/chats/chat-documents.js'
import { safetensors } from '../../first-layer/formats/formats.js'
import { isList } from '../../first-layer/given.js'
import { tokenizedTensors, tokenize as tokenizeTexts } from '../../first-layer/tokenize.js'
import { sendEncoded, tensorHeaders } from '../../service/answer/send-encoded.js'
import { textsOfIds } from '../../service/answer/text-of-ids.js'
import type { Feature } from '../../service/feature.js'
import { askedTokenizer } from '../../service/request/asked-tokenizer.js'
import { pythonFields, renderedChat } from '../../service/request/chat/chat.js'
import { JSON_ONLY, JSON_TYPE, JSON_UTF8, preferred } from '../../service/request/checks/head-checks.js'
import { edgeOf } from '../../service/request/claims.js'
import { detokenizeRequest, tokenizeRequest } from '../../service/request/fields/tokenize-request.js'
import { listCounts, textsUtf8, tokenizedJson } from './tokenized.js'

/** `/v1/tokenize`, `/v1/detokenize`: token ids and back. */
export const tokenize: Feature = {
  name: 'tokenize',
  routes(app, { models, config: limits }) {
    const limit = limits.MAX_JSON_RESPONSE_BYTES
    const produces = [JSON_TYPE, ...safetensors.mediaTypes]
    const options = {
      schema: { operationId: 'tokenize', body: tokenizeRequest },
      config: { media: { consumes: [JSON_TYPE], produces }, change: pythonFields },
    }
    app.post('/v1/tokenize', options, async (request, reply) => {
      const { claim, body } = request
      const { messages, count_only: countOnly } = body
      const mediaType = preferred(request.headers.accept, countOnly ? [JSON_TYPE] : produces)
      const tokenizer = await askedTokenizer(request, models, body)
      const card = () => models.card(body.model)
      const chat = messages ? { ...body, messages } : undefined
      const masked =
        chat && body.mask
          ? await maskedChat(card(), chat, body.mask, limits.MAX_JSON_BODY_BYTES, edgeOf(claim))
          : undefined
      const text =
        masked?.text ??
        (chat ? await renderedChat(card(), chat, limits.MAX_JSON_BODY_BYTES, claim) : body.text!)
      const how = { ...body, ranges: !countOnly }
      const started = performance.now()
      const documents = await tokenizeTexts(tokenizer, text, how, edgeOf(claim))
      const tokenizeMs = performance.now() - started
      const { ids } = documents
      const list = isList(text) ? documents : undefined
      const mask = masked && !countOnly ? lossMask(tokenizer, masked, ids) : undefined
      request.figures = { numTokens: ids.length, tokenizeMs }
      reply.header('server-timing', `tokenize;dur=${tokenizeMs.toFixed(3)}`)
      if (countOnly && list === undefined) return { num_tokens: ids.length, num_characters: ids.characters }
      if (mediaType === JSON_TYPE) {
        const utf8 =
          countOnly || !ids.ranges ? undefined : await textsUtf8(isList(text) ? text : [text], claim)
        const answer = countOnly ? listCounts(documents) : tokenizedJson(tokenizer, ids, list, utf8, mask)
        return sendEncoded(request, reply, answer, JSON_UTF8, limit)
      }
      const modelId = body.encoding === undefined ? (body.model ?? models.defaultModel) : undefined
      const tensors = tokenizedTensors(tokenizer, ids, modelId, list, mask)
      const answer = { ...safetensors.encode(tensors), headers: tensorHeaders(safetensors, tensors) }
      return sendEncoded(request, reply, answer, mediaType, limits.MAX_RESPONSE_BYTES)
    })

    const back = { schema: { operationId: 'detokenize', body: detokenizeRequest }, config: JSON_ONLY }
    app.post('/v1/detokenize', back, async (request, reply) => {
      const { input_ids: ids, skip_special_tokens: skips, ...body } = request.body
      const tokenizer = await askedTokenizer(request, models, body)
      request.figures = { numTokens: ids.length }
      const skipped = skips ? new Set(tokenizer.specialTokens.values()) : undefined
      const answer = await textsOfIds(tokenizer, ids, skipped, limit, request.claim)
      return sendEncoded(request, reply, answer, JSON_UTF8, limit)
    })
  },
}
