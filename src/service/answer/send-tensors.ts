import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../../first-layer/answer.js'
import type { LimitVariables } from '../request/limit-variables.js'
import type { Format, FormatOptions } from './formats/format.js'
import type { Negotiated } from './formats/registry.js'
import { sendEncoded } from './send-encoded.js'

/**
 * Sends an answer in a format, once its size is within the limit.
 *
 * @throws InletError `response_too_large` before anything is embedded, `overloaded` before anything is sent
 */
export function sendTensors(
  request: FastifyRequest,
  reply: FastifyReply,
  { format, mediaType }: Negotiated,
  answer: Answer,
  options: FormatOptions,
  limits: Pick<LimitVariables, Format['limit']>,
): Promise<void> {
  const encoded = format.encode(answer, options)
  return sendEncoded(request, reply, encoded, mediaType, limits[format.limit], answer.tensors)
}
