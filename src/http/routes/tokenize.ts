import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.js'
import type { Model } from '../../embeddings/model.js'
import { InletError, shown } from '../../errors.js'
import { detokenize } from '../../tokens/detokenize.js'
import { ENCODING_NAMES, type Encoding, type EncodingName, loadEncoding } from '../../tokens/encoding.js'
import { tokenizeText } from '../../tokens/tokenize.js'
import { parse } from '../../wire/schemas/issue.js'
import { detokenizeRequest, tokenizeRequest } from '../../wire/schemas/tokenize.js'
import { tokenizedText } from '../../wire/tokenized.js'
import { allowedSpecialSet } from '../allowed-special.js'

import { findModel } from '../find-model.js'
import { jsonBody } from '../json-body.js'
import { sendBlocks } from '../send-blocks.js'

/** `POST /v1/tokenize` and `POST /v1/detokenize`. */
export function addTokenizeRoutes(app: FastifyInstance, model: () => Model, config: Config): void {
  const limit = config.MAX_JSON_BODY_BYTES
  const options = {
    config: {
      needsModel: true,
      media: { consumes: ['application/json'], produces: ['application/json'] },
    },
  }

  app.post('/v1/tokenize', options, async (request, reply) => {
    const body = parse(tokenizeRequest, await jsonBody(request, limit))
    const encoding = await encodingOf(model(), body)
    const allowed = allowedSpecialSet(encoding, body.allowed_special)
    const started = performance.now()
    const ids = await tokenizeText(encoding, body.text, allowed, request.claim)
    const tokenizeMs = performance.now() - started
    request.figures = { numTokens: ids.length, tokenizeMs }
    reply.header('server-timing', `tokenize;dur=${tokenizeMs.toFixed(3)}`)
    if (body.count_only) return { num_tokens: ids.length }
    reply.type('application/json; charset=utf-8')
    return sendBlocks(request, reply, tokenizedText(encoding, ids))
  })

  app.post('/v1/detokenize', options, async (request) => {
    const body = parse(detokenizeRequest, await jsonBody(request, limit))
    const encoding = await encodingOf(model(), body)
    refuseTextless(encoding, body.input_ids)
    return detokenize(encoding, body.input_ids)
  })
}

async function encodingOf(model: Model, body: { model?: string; encoding?: string }): Promise<Encoding> {
  if (body.encoding === undefined) return findModel(model, body.model ?? model.spec.id).spec.encoding
  const name = body.encoding as EncodingName
  if (ENCODING_NAMES.includes(name)) return loadEncoding(name)
  const message = `\`encoding\` must be one of ${ENCODING_NAMES.join(', ')}. Given: ${shown(name)}`
  throw new InletError('model_not_found', message, 'encoding')
}

/** @throws InletError `token_out_of_range` for ids that have no text */
function refuseTextless(encoding: Encoding, ids: readonly number[]): void {
  const place = ids.findIndex((id) => encoding.tokenBytes(id) === undefined)
  if (place < 0) return
  const id = ids[place]
  const rule = id < encoding.vocabSize ? 'no text for this id' : `ids below ${encoding.vocabSize}`
  const message = `\`input_ids.${place}\` must be a token of ${encoding.name}, which has ${rule}. Given: ${id}`
  throw new InletError('token_out_of_range', message, `input_ids.${place}`)
}
