import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.js'
import type { Model } from '../embeddings/model.js'
import type { StopSignal } from '../turn.js'
import type { Documents } from '../windows/documents.js'
import { parseQuery } from '../wire/query.js'
import {
  type EmbeddingBody,
  type EmbeddingOptions,
  embeddingRequest,
  rawTextOptions,
} from '../wire/schemas/embedding-request.js'
import { parse } from '../wire/schemas/issue.js'
import { allowedSpecialSet } from './allowed-special.js'
import { checkContentLength } from './body-stream.js'
import { jsonBody } from './json-body.js'
import { parseContentType } from './media.js'
import { textBody } from './text-body.js'
import { documentOfBytes, documentsOfIds, documentsOfTexts } from './token-documents.js'

/** A request for embeddings, whichever way its documents come. */
export interface EmbeddingSource {
  readonly options: EmbeddingOptions
  /** What is given as ids; nothing where text is. */
  readonly ids: Pick<EmbeddingBody, 'input_ids' | 'token_type_ids'>
  /** Checks what the model allows; what it gives back tokenizes. */
  tokenizer(model: Model): (signal: StopSignal) => Promise<Documents>
}

/** The media types that {@link embeddingSource} reads. */
export const SOURCE_MEDIA = ['application/json', 'text/plain'] as const

type BodyLimits = Pick<Config, 'MAX_BODY_BYTES' | 'MAX_JSON_BODY_BYTES'>

/**
 * What a request asks for: a JSON body is read whole; of a text/plain body nothing is read yet.
 *
 * @throws InletError where the body or a field is wrong
 */
export async function embeddingSource(request: FastifyRequest, limits: BodyLimits): Promise<EmbeddingSource> {
  const { mediaType } = parseContentType(request.headers['content-type'] ?? '')
  if (mediaType === 'text/plain') return rawTextSource(request, limits.MAX_BODY_BYTES)
  return jsonSource(parse(embeddingRequest, await jsonBody(request, limits.MAX_JSON_BODY_BYTES)))
}

function rawTextSource(request: FastifyRequest, limit: number): EmbeddingSource {
  checkContentLength(request, limit)
  const options = parseQuery(rawTextOptions, queryOf(request))
  return {
    options,
    ids: {},
    tokenizer(model) {
      const allowed = allowedSpecialSet(model.spec.encoding, options.allowed_special)
      return (signal) => documentOfBytes(model, textBody(request, limit), allowed, signal)
    },
  }
}

/** What stands after the question mark. */
export function queryOf({ url }: Pick<FastifyRequest, 'url'>): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

function jsonSource(body: EmbeddingBody): EmbeddingSource {
  const { text, input_ids } = body
  if (input_ids !== undefined) {
    return {
      options: body,
      ids: body,
      tokenizer: (model) => async () => documentsOfIds(model, input_ids),
    }
  }
  const [texts, path] =
    typeof text === 'string' ? [[text], () => 'text'] : [text ?? [], (i: number) => `text.${i}`]
  return {
    options: body,
    ids: {},
    tokenizer(model) {
      const allowed = allowedSpecialSet(model.spec.encoding, body.allowed_special)
      return (signal) => documentsOfTexts(model, texts, allowed, path, signal)
    },
  }
}
