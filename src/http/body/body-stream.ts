import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Claim } from '../../load/claim.js'
import { ClientGone } from '../../load/client-gone.js'
import { bodyTooLarge } from '../../requests/too-large.js'
import { invite } from '../answers/expect-continue.js'
import { ChunkFraming } from './chunk-framing.js'
import { contentCoding, unpacked } from './content-coding.js'

/** Packed bytes may exceed the limit by this: a coding adds a frame, and very short texts do not shrink. */
const CODING_OVERHEAD = 65_536

/**
 * A request's body, unpacked, chunk by chunk as it arrives; memory holds one chunk at a time. `limit` counts the
 * unpacked bytes. Where the reader stops early, the connection stays open.
 *
 * @throws InletError `body_too_large`, `invalid_encoding`, `invalid_request` for chunks that are too small
 * @throws ClientGone where the body breaks off; also the error that the claim is aborted with
 */
export function bodyChunks(request: FastifyRequest, limit: number): AsyncIterable<Uint8Array> {
  const coding = contentCoding(request.headers['content-encoding'])
  invite(request.raw)
  const chunks = received(request.raw, request.claim)
  if (coding === undefined) return limited(chunks, limit)
  const packed = limited(chunks, limit + CODING_OVERHEAD)
  return limited(unpacked(packed, coding, request.claim), limit)
}

/** Refuses a body whose `Content-Length` is over the limit. @throws InletError `body_too_large` */
export function checkContentLength(request: FastifyRequest, limit: number): void {
  const length = Number(request.headers['content-length'] ?? 0)
  const packed = contentCoding(request.headers['content-encoding']) !== undefined
  if (length > limit + (packed ? CODING_OVERHEAD : 0)) throw bodyTooLarge(limit, length)
}

async function* received(raw: IncomingMessage, claim: Claim): AsyncGenerator<Uint8Array, void, void> {
  const chunks = raw.iterator({ destroyOnReturn: false }) // destroying the request would destroy the answer too
  const framing = new ChunkFraming(raw)
  let bytes = 0
  let stopWaiting = (_: Error) => {}
  const forget = claim.onAbort((error) => stopWaiting(error))
  try {
    for (;;) {
      claim.throwIfAborted()
      const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        stopWaiting = reject
        chunks.next().then(resolve, () => reject(new ClientGone()))
      })
      if (done) return
      bytes += value.length
      framing.check(bytes)
      yield value
    }
  } finally {
    forget()
    void chunks.return?.()
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
