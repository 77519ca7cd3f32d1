import type { FastifyRequest } from 'fastify'
import { InletError } from '../../errors.js'
import { Utf8Checker } from '../../wire/utf8.js'
import { bodyChunks } from './body-stream.js'

/**
 * A text/plain body as it arrives: UTF-8, cut anywhere, even within a character.
 *
 * @throws InletError `body_too_large`, `invalid_encoding`, `invalid_unicode` with the byte offset in the whole
 * text, `empty_input`
 */
export async function* textBody(
  request: FastifyRequest,
  limit: number,
): AsyncGenerator<Uint8Array, void, void> {
  await request.claim.take(1) // before a byte is read that may have come for nothing
  const utf8 = new Utf8Checker()
  let isEmpty = true
  for await (const chunk of bodyChunks(request, limit)) {
    refuse(utf8.check(chunk))
    isEmpty &&= chunk.length === 0
    yield chunk
  }
  refuse(utf8.end())
  if (isEmpty) throw new InletError('empty_input', '`text` must not be empty. Given: an empty body', 'text')
}

function refuse(invalid: number): void {
  if (invalid < 0) return
  throw new InletError(
    'invalid_unicode',
    `\`text\` must be UTF-8: byte ${invalid} of the body is not.`,
    'text',
  )
}
