import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.js'
import { InletError } from '../errors.js'
import type { Answer } from '../wire/answer.js'
import type { FormatOptions } from '../wire/formats/format.js'
import type { Negotiated } from '../wire/formats/registry.js'

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
 * Sends an answer block by block. The next block is made only when the socket has taken the last one, so that
 * blocks can be used again, a slow client costs one block, and one that goes away ends the work.
 *
 * @throws InletError `response_too_large` before anything is embedded
 */
export async function sendTensors(
  request: FastifyRequest,
  reply: FastifyReply,
  { format, mediaType }: Negotiated,
  answer: Answer,
  options: FormatOptions,
  limits: ResponseLimits,
): Promise<void> {
  const size = format.size(answer, options)
  const limit = limits[format.limit]
  if (size > limit) {
    const message = `The answer as ${mediaType} must be at most ${limit} bytes. It would be ${size} bytes.`
    throw new InletError('response_too_large', message)
  }
  const { contentLength, headers, body } = format.encode(answer, options)
  reply.headers(headers).type(mediaType)
  if (contentLength !== undefined) reply.header('content-length', contentLength)
  reply.hijack()
  const head = reply.getHeaders() as OutgoingHttpHeaders
  if (request.method === 'HEAD') {
    reply.raw.writeHead(200, head).end()
    return
  }
  try {
    request.bytesOut = await writeBlocks(reply.raw, head, body)
  } catch (error) {
    request.log.error({ err: error }, 'answer broken off')
    reply.raw.destroy()
  }
}

/** Answers up to this size leave in one piece, with their length. */
const SMALL_BYTES = 1 << 16

/** Writes and ends; returns the bytes of the body. Stops early when the client has gone. */
async function writeBlocks(
  response: ServerResponse,
  head: OutgoingHttpHeaders,
  body: AsyncIterable<Uint8Array>,
): Promise<number> {
  const small: Buffer[] = [] // copies, until it is known to be more
  let bytes = 0
  let gone: Promise<false> | undefined
  for await (const block of body) {
    bytes += block.byteLength
    if (gone === undefined && bytes <= SMALL_BYTES) {
      small.push(Buffer.from(block))
      continue
    }
    if (gone === undefined) {
      gone = new Promise((resolve) => response.once('close', () => resolve(false)))
      response.writeHead(200, head)
      if (small.length > 0) response.write(Buffer.concat(small))
    }
    const written = new Promise<boolean>((resolve) => {
      response.write(block, (error) => resolve(!error))
    })
    if (!(await Promise.race([written, gone]))) return bytes
  }
  if (gone === undefined)
    response.writeHead(200, { ...head, 'content-length': bytes }).end(Buffer.concat(small, bytes))
  else response.end()
  return bytes
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the answer's body, where it was streamed. */
    bytesOut?: number
  }
}
