import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ClientGone } from '../load/client-gone.js'
import { bodyChunks, checkContentLength } from './body-stream.js'
import { contentCoding } from './content-coding.js'
import { bodyTooLarge } from './errors.js'
import { invite } from './expect-continue.js'

/**
 * A request's whole body, unpacked.
 *
 * @throws InletError `body_too_large`, `invalid_encoding`
 * @throws ClientGone where the body breaks off
 */
export async function readBody(request: FastifyRequest, limit: number): Promise<Buffer> {
  checkContentLength(request, limit)
  if (contentCoding(request.headers['content-encoding']) === undefined) {
    invite(request.raw)
    return readPlain(request.raw, limit)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of bodyChunks(request, limit)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** By events: most bodies are one small chunk, and an iterator would cost more than reading it. */
function readPlain(raw: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const onData = (chunk: Buffer) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes <= limit) return
      raw.off('data', onData).pause()
      reject(bodyTooLarge(limit))
    }
    const onGone = () => {
      if (!raw.readableEnded) reject(new ClientGone()) // a whole request closes too
    }
    raw
      .on('data', onData)
      .on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
      .on('error', onGone)
      .on('close', onGone)
  })
}
