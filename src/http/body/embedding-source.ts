import type { FastifyRequest } from 'fastify'
import type { Model } from '../../first-layer/embeddings/model.js'
import type { StreamOptions } from '../../first-layer/tokens/tokenizer.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import type { Claim } from '../../load/claim.js'
import { streamOptions } from '../../requests/allowed-special.js'
import {
  documentOfBytes,
  documentOfText,
  documentsOfIds,
  documentsOfTexts,
} from '../../requests/token-documents.js'
import { LongText } from '../../wire/json/long-text.js'
import type { LongTexts } from '../../wire/json/long-texts.js'
import { queryReader } from '../../wire/query.js'
import {
  type EmbeddingBody,
  type EmbeddingOptions,
  embeddingLongFields,
  embeddingRequest,
  rawTextOptions,
} from '../../wire/schemas/embedding-request.js'
import type { Limits } from '../limits.js'
import { checkContentLength } from './body-stream.js'
import { parseContentType } from './content-type.js'
import { type JsonLimits, jsonBody } from './json-body.js'
import { textBody } from './text-body.js'

/** A request for embeddings, whichever way its documents come. */
export interface EmbeddingSource {
  readonly options: EmbeddingOptions
  /** The fields given as ids; an empty object where the request gives text. */
  readonly ids: Pick<EmbeddingBody, 'input_ids' | 'token_type_ids'>
  /** Checks the request's special tokens for this model, and returns the function that makes the documents. */
  tokenizer(model: Model): (claim: Claim) => Promise<Documents>
}

/** The media types that {@link embeddingSource} reads. */
export const SOURCE_MEDIA = ['application/json', 'text/plain'] as const

type BodyLimits = JsonLimits & Pick<Limits, 'MAX_BODY_BYTES'>

const BODY = { schema: embeddingRequest, longFields: embeddingLongFields }
const rawTextQuery = queryReader(rawTextOptions)

/**
 * What a request asks for: a JSON body is read whole; of a text/plain body nothing is read yet.
 *
 * @throws InletError where the body or a field is wrong
 */
export async function embeddingSource(request: FastifyRequest, limits: BodyLimits): Promise<EmbeddingSource> {
  const { mediaType } = parseContentType(request.headers['content-type'] ?? '')
  if (mediaType === 'text/plain') return rawTextSource(request, limits.MAX_BODY_BYTES)
  return jsonSource(await jsonBody(request, BODY, limits))
}

function rawTextSource(request: FastifyRequest, limit: number): EmbeddingSource {
  checkContentLength(request, limit)
  const options = rawTextQuery(queryOf(request))
  return {
    options,
    ids: {},
    tokenizer(model) {
      const how = streamOptions(model.spec.encoding, options)
      return (claim) => documentOfBytes(model, textBody(request, limit), how, claim)
    },
  }
}

/** The query string, without the question mark. */
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
      tokenizer: (model) => (claim) => documentsOfIds(model, input_ids, claim),
    }
  }
  return {
    options: body,
    ids: {},
    tokenizer(model) {
      const how = streamOptions(model.spec.encoding, body)
      return (claim) => documentsOf(model, text!, how, claim)
    },
  }
}

/** The documents of a request's `text`, whichever form the reader gave it. */
export function documentsOf(
  model: Model,
  text: NonNullable<EmbeddingBody['text']>,
  how: StreamOptions,
  claim: Claim,
): Promise<Documents> {
  if (typeof text === 'string') return documentOfText(model, text, how, claim)
  if (Array.isArray(text)) return documentsOfTexts(model, text, how, claim)
  return documentsOfLong(model, text as LongText | LongTexts, how, claim)
}

/** Gives the reserved bytes of the body back as soon as its texts are tokenized, not at the end of the request. */
async function documentsOfLong(
  model: Model,
  text: LongText | LongTexts,
  how: StreamOptions,
  claim: Claim,
): Promise<Documents> {
  const documents =
    text instanceof LongText
      ? await documentOfText(model, text, how, claim)
      : await documentsOfTexts(model, text, how, claim)
  claim.give(text.letGo())
  return documents
}
