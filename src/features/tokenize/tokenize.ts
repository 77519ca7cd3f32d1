import type { Steps } from '../../first-layer/steps.js'
import { allowedSpecialSet } from '../../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import { TextDocuments } from '../../first-layer/windows/documents.js'
import { drive } from '../../first-layer/work/drive.js'
import type { EncodedAnswer } from '../../service/answer/formats/json.js'
import { preferred } from '../../service/answer/formats/registry.js'
import { safetensors } from '../../service/answer/formats/safetensors.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import { tokenizedJson } from '../../service/answer/tokenized.js'
import { listCounts } from '../../service/answer/tokenized-list.js'
import type { FeatureApp, Service } from '../../service/feature.js'
import { askedTokenizer } from '../../service/request/asked-tokenizer.js'
import { chatOf, pythonFields } from '../../service/request/chat/chat.js'
import { renderedChat } from '../../service/request/chat/rendered-chat.js'
import { JSON_TYPE, JSON_UTF8 } from '../../service/request/checks/head-checks.js'
import { listDocuments, textIds, textsUtf8 } from '../../service/request/documents/token-documents.js'
import { type GivenTexts, isList } from '../../service/request/fields/given-field.js'
import { tokenizeRequest } from './schemas.js'
import { tokenizedTensors } from './token-tensors.js'

/** `POST /v1/tokenize`. */
export function addTokenizeRoute(app: FeatureApp, { models, config: limits }: Service): void {
  const produces = [JSON_TYPE, ...safetensors.mediaTypes]
  const options = {
    schema: { operationId: 'tokenize', body: tokenizeRequest },
    config: { media: { consumes: [JSON_TYPE], produces }, change: pythonFields },
  }
  app.post('/v1/tokenize', options, async (request, reply) => {
    const { claim, body } = request
    const mediaType = preferred(request.headers.accept, body.count_only ? [JSON_TYPE] : produces)
    const tokenizer = await askedTokenizer(request, models, body)
    const text =
      body.messages === undefined
        ? body.text!
        : await renderedChat(
            models.card(body.model),
            chatOf(body.messages, body),
            limits.MAX_JSON_BODY_BYTES,
            claim,
          )
    const allowedSpecial = allowedSpecialSet(tokenizer, body.allowed_special)
    const { add_special_tokens: addSpecialTokens, count_only: countOnly } = body
    const options = { allowedSpecial, addSpecialTokens, ranges: !countOnly }
    const started = performance.now()
    const documents = await drive(claim, documentsOf(tokenizer, text, options))
    const tokenizeMs = performance.now() - started
    const { ids } = documents
    const list = isList(text) ? documents : undefined
    request.figures = { numTokens: ids.length, tokenizeMs }
    reply.header('server-timing', `tokenize;dur=${tokenizeMs.toFixed(3)}`)
    if (countOnly && list === undefined) return { num_tokens: ids.length, num_characters: ids.characters }
    if (mediaType === JSON_TYPE) {
      const limit = limits.MAX_JSON_RESPONSE_BYTES
      const answer =
        countOnly && list !== undefined
          ? await drive(claim, listCounts(list))
          : await drive(claim, tokenized(tokenizer, documents, text))
      return sendEncoded(request, reply, answer, JSON_UTF8, limit)
    }
    const modelId = body.encoding === undefined ? (body.model ?? models.defaultModel) : undefined
    const tensors = tokenizedTensors(tokenizer, ids, modelId, list)
    const answer = safetensors.encode(tensors, { encodingFormat: 'float' })
    return sendEncoded(request, reply, answer, mediaType, limits.MAX_RESPONSE_BYTES)
  })
}

/** The ids of a text, or of each text of a list. */
function* documentsOf(tokenizer: Tokenizer, texts: GivenTexts, options: StreamOptions): Steps<TextDocuments> {
  if (isList(texts)) return yield* listDocuments(TextDocuments, tokenizer, texts, options, 'text')
  const documents = new TextDocuments(yield* textIds(tokenizer, texts, options))
  documents.endDocument()
  return documents
}

/** The full answer. */
function* tokenized(tokenizer: Tokenizer, documents: TextDocuments, texts: GivenTexts): Steps<EncodedAnswer> {
  const { ids } = documents
  const utf8 = ids.ranges && (yield* textsUtf8(isList(texts) ? texts : [texts]))
  return yield* tokenizedJson(tokenizer, ids, isList(texts) ? documents : undefined, utf8)
}
