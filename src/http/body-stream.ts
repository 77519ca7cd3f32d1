import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { ClientGone } from '../load/client-gone.js'
import { contentCoding, unpacked } from './content-coding.js'
import { bodyTooLarge } from './errors.js'
import { invite } from './expect-continue.js'

/** Packed bytes may exceed the limit by this: a coding's own frame, and texts too short to shrink. */
const CODING_OVERHEAD = 65_536

/**
 * A request's body as it arrives, unpacked, never more of it in memory than a chunk. The limit counts the
 * unpacked bytes. A reader that stops early leaves the connection as it is.
 *
 * @throws InletError `body_too_large`, `invalid_encoding`
 * @throws ClientGone where the body breaks off
 */
export function bodyChunks(request: FastifyRequest, limit: number): AsyncIterable<Uint8Array> {
  const coding = contentCoding(request.headers['content-encoding'])
  invite(request.raw)
  if (coding === undefined) return limited(received(request.raw), limit)
  const packed = limited(received(request.raw), limit + CODING_OVERHEAD)
  return limited(unpacked(packed, coding, request.claim), limit)
}

/** Refuses a body whose `Content-Length` says that it is too large. @throws InletError `body_too_large` */
export function checkContentLength(request: FastifyRequest, limit: number): void {
  const length = Number(request.headers['content-length'] ?? 0)
  const packed = contentCoding(request.headers['content-encoding']) !== undefined
  if (length > limit + (packed ? CODING_OVERHEAD : 0)) throw bodyTooLarge(limit, length)
}

async function* received(raw: IncomingMessage): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* raw.iterator({ destroyOnReturn: false }) // destroying it would take the answer along
  } catch {
    throw new ClientGone()
  }
}

async function* limited(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > limit) throw bodyTooLarge(limit)
    yield chunk
  }
}
