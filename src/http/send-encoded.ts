import type { FastifyReply, FastifyRequest } from 'fastify'
import { InletError } from '../errors.js'
import type { EncodedAnswer } from '../wire/formats/format.js'
import { sendBlocks } from './send-blocks.js'

/**
 * Sends an answer that is encoded already, once its size is within the limit.
 *
 * @param contentType its media type, which may have parameters
 * @param limit bytes
 * @returns what the handler is to return
 * @throws InletError `response_too_large` before any of it is made
 */
export async function sendEncoded(
  request: FastifyRequest,
  reply: FastifyReply,
  { size, exact, headers, body }: EncodedAnswer,
  contentType: string,
  limit: number,
): Promise<Buffer | undefined> {
  if (size > limit) throw responseTooLarge(contentType, limit, `${size} bytes`)
  reply.headers(headers).type(contentType)
  if (exact) reply.header('content-length', size)
  return sendBlocks(request, reply, body, exact ? size : undefined)
}

/** `size` in words: `1000 bytes`, `at least 1000 bytes`. */
export function responseTooLarge(contentType: string, limit: number, size: string): InletError {
  const [mediaType] = contentType.split(';', 1)
  const message = `The answer as ${mediaType} must be at most ${limit} bytes. It would be ${size}.`
  return new InletError('response_too_large', message)
}
