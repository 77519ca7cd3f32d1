import type { FastifyReply, FastifyRequest } from 'fastify'
import type { NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import { drive, drivenBlocks } from '../../first-layer/work/drive.js'
import { firstInLine } from './first-in-line.js'
import type { EncodedAnswer } from './formats/format.js'
import { sendBlocks } from './send-blocks.js'
import { responseTooLarge } from './too-large.js'

/**
 * Sends an answer that is encoded already, once its size is within the limit.
 *
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
): Promise<void> {
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
