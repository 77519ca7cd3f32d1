import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.js'
import type { Answer } from '../../first-layer/answer.js'
import type { FormatOptions } from '../../wire/formats/format.js'
import type { Negotiated } from '../../wire/formats/registry.js'
import { sendEncoded } from './send-encoded.js'

/** The limits on answers, in bytes. */
export interface ResponseLimits {
  readonly maxJsonResponseBytes: number
  readonly maxResponseBytes: number
}

export function responseLimits(config: Config): ResponseLimits {
  return {
    maxJsonResponseBytes: config.MAX_JSON_RESPONSE_BYTES,
    maxResponseBytes: config.MAX_RESPONSE_BYTES,
  }
}

/**
 * Sends an answer in a format, once its size is within the limit.
 *
 * @returns what the handler is to return
 * @throws InletError `response_too_large` before anything is embedded, `overloaded` before anything is sent
 */
export async function sendTensors(
  request: FastifyRequest,
  reply: FastifyReply,
  { format, mediaType }: Negotiated,
  answer: Answer,
  options: FormatOptions,
  limits: ResponseLimits,
): Promise<Buffer | undefined> {
  const encoded = format.encode(answer, options)
  return sendEncoded(request, reply, encoded, mediaType, limits[format.limit], answer.tensors)
}
