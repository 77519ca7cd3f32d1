import type { FastifyRequest } from 'fastify'
import { InletError } from '../../errors.js'
import { checkedText } from '../../requests/checked-text.js'
import { bodyChunks } from './body-stream.js'

/**
 * The chunks of a text/plain body as they arrive: UTF-8, checked; a character may be cut between two chunks.
 *
 * @throws InletError `body_too_large`, `invalid_encoding`, `invalid_unicode` with the byte offset in the whole
 * text, `empty_input`
 */
export async function* textBody(
  request: FastifyRequest,
  limit: number,
): AsyncGenerator<Uint8Array, void, void> {
  await request.claim.take(1) // where there is no room, the request is refused before its body is read
  let isEmpty = true
  for await (const chunk of checkedText(bodyChunks(request, limit), notUtf8)) {
    isEmpty &&= chunk.length === 0
    yield chunk
  }
  if (isEmpty) throw new InletError('empty_input', '`text` must not be empty. Given: an empty body', 'text')
}

function notUtf8(byte: number): InletError {
  return new InletError('invalid_unicode', `\`text\` must be UTF-8: byte ${byte} of the body is not.`, 'text')
}
