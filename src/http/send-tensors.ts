import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.js'
import { InletError } from '../errors.js'
import type { NamedTensor } from '../named-tensor.js'
import type { Answer } from '../wire/answer.js'
import type { FormatOptions } from '../wire/formats/format.js'
import type { Negotiated } from '../wire/formats/registry.js'
import { firstInLine } from './first-in-line.js'
import { sendBlocks } from './send-blocks.js'

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
  const { size, exact, headers, body } = format.encode(answer, options)
  const limit = limits[format.limit]
  if (size > limit) {
    const message = `The answer as ${mediaType} must be at most ${limit} bytes. It would be ${size} bytes.`
    throw new InletError('response_too_large', message)
  }
  const { tensors } = answer
  if (tensors.some(needsPreparing) && request.method !== 'HEAD') {
    await firstInLine(request, reply) // what it takes would else be held for longer
    for (const { prepare } of tensors) await prepare?.()
  }
  return sendBlocks(request, reply, body, {
    size: exact ? size : undefined,
    most: size,
    begin() {
      reply.headers(headers).type(mediaType)
      if (exact) reply.header('content-length', size)
    },
  })
}

function needsPreparing({ prepare }: NamedTensor): boolean {
  return prepare !== undefined
}
