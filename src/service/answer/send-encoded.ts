import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../../first-layer/answer.js'
import { drive, drivenBlocks } from '../../first-layer/running/drive.js'
import type { NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import type { LimitVariables } from '../process/config.js'
import { InletError } from './error-table.js'
import type { EncodedAnswer, Format, FormatOptions } from './formats/json.js'
import type { Negotiated } from './formats/registry.js'
import { firstInLine, sendBlocks } from './send-blocks.js'

/**
 * Sends an answer that is encoded already, once its size is within the limit.
 * @param contentType its media type, which may have parameters
 * @param limit bytes
 * @param tensors the tensors in the answer; those with a `prepare` are prepared before the first block
 * @throws InletError `response_too_large` before any of it is made
 */
export function sendEncoded(
  request: FastifyRequest,
  reply: FastifyReply,
  { size, exact, headers, body }: EncodedAnswer,
  contentType: string,
  limit: number,
  tensors: readonly NamedTensor[] = [],
): Promise<FastifyReply> {
  if (size > limit) throw responseTooLarge(contentType, limit, `${size} bytes`)
  const facts = { size: exact ? size : undefined, most: size, contentType, headers }
  const blocks = drivenBlocks(request.claim, body)
  if (!tensors.some(needsPreparing) || request.method === 'HEAD')
    return sendBlocks(request, reply, blocks, facts)
  return prepare(request, reply, tensors).then(() => sendBlocks(request, reply, blocks, facts))
}

async function prepare(
  request: FastifyRequest,
  reply: FastifyReply,
  tensors: readonly NamedTensor[],
): Promise<void> {
  await firstInLine(request, reply) // prepared sooner, the memory would be held while other answers are sent
  for (const { prepare } of tensors) if (prepare !== undefined) await drive(request.claim, prepare())
}

function needsPreparing({ prepare }: NamedTensor): boolean {
  return prepare !== undefined
}

/**
 * Sends an answer in a format, once its size is within the limit.
 * @throws InletError `response_too_large` before anything is embedded, `overloaded` before anything is sent
 */
export function sendTensors(
  request: FastifyRequest,
  reply: FastifyReply,
  { format, mediaType }: Negotiated,
  answer: Answer,
  options: FormatOptions,
  limits: Pick<LimitVariables, Format['limit']>,
): Promise<FastifyReply> {
  const encoded = format.encode(answer, options)
  return sendEncoded(request, reply, encoded, mediaType, limits[format.limit], answer.tensors)
}

export function bodyTooLarge(limit: number, given: string | number = 'more', variable?: string): InletError {
  const most = variable === undefined ? `${limit} bytes` : `${limit} bytes (\`${variable}\`)`
  return new InletError('body_too_large', `The body must be at most ${most}. Given: ${given}`)
}

/** @param size in words: `1000 bytes`, `at least 1000 bytes` */
export function responseTooLarge(contentType: string, limit: number, size: string): InletError {
  const [mediaType] = contentType.split(';', 1)
  const message = `The answer as ${mediaType} must be at most ${limit} bytes. It would be ${size}.`
  return new InletError('response_too_large', message)
}
