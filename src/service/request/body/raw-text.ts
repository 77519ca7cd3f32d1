import type { FastifyRequest } from 'fastify'
import { bodyChunks, checkContentLength } from './read-body.js'
import { checkedText } from './utf8.js'

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
  await request.claim.take(1) // if there is no room, the request is refused before its body is read
  yield* checkedText(bodyChunks(request, limit))
}
