import type { FastifyRequest } from 'fastify'
import { checkedText } from '../documents/checked-text.js'
import { embeddingRequest, type OptionFields, rawTextOptions } from '../fields/embedding-request.js'
import type { LimitVariables } from '../limit-variables.js'
import { parseContentType } from './content-type.js'
import type { Given } from './given.js'
import type { IdLists } from './id-lists.js'
import { type JsonLimits, jsonBody } from './json-body.js'
import { queryReader } from './query.js'
import { bodyChunks, checkContentLength } from './read-body.js'

/** A request for embeddings, whichever way its documents come. */
export interface EmbeddingSource {
  readonly options: OptionFields
  readonly given: Given
  /** Beside ids: those whose types are given, and the types. */
  readonly ids?: IdLists | undefined
  readonly tokenTypes?: IdLists | undefined
}

/** The media types that {@link embeddingSource} reads. */
export const SOURCE_MEDIA = ['application/json', 'text/plain'] as const

type BodyLimits = JsonLimits & Pick<LimitVariables, 'MAX_BODY_BYTES'>

const rawTextQuery = queryReader(rawTextOptions)

/**
 * Reads the options of a request, and its documents: a JSON body whole, of a text/plain body nothing yet.
 *
 * @throws InletError where the body or a field is wrong
 */
export async function embeddingSource(request: FastifyRequest, limits: BodyLimits): Promise<EmbeddingSource> {
  const { mediaType } = parseContentType(request.headers['content-type'] ?? '')
  if (mediaType === 'text/plain') {
    const given = rawText(request, limits.MAX_BODY_BYTES)
    return { options: rawTextQuery(queryOf(request)), given }
  }
  const body = await jsonBody(request, embeddingRequest, limits)
  const { text, input_ids: ids, token_type_ids: tokenTypes } = body
  return { options: body, given: (ids ?? text)!, ids, tokenTypes }
}

/** The query string, without the question mark. */
export function queryOf({ url }: Pick<FastifyRequest, 'url'>): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

/**
 * A body that is one text, of which nothing is read yet. Its chunks throw InletError `body_too_large`,
 * `invalid_encoding`, `invalid_unicode` with the byte offset in the whole text, `empty_input`.
 *
 * @throws InletError `body_too_large` by its `Content-Length`
 */
export function rawText(request: FastifyRequest, limit: number): AsyncIterable<Uint8Array> {
  checkContentLength(request, limit)
  return textChunks(request, limit)
}

async function* textChunks(request: FastifyRequest, limit: number): AsyncGenerator<Uint8Array, void, void> {
  await request.claim.take(1) // where there is no room, the request is refused before its body is read
  yield* checkedText(bodyChunks(request, limit))
}
