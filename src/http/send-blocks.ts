import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { nextTurn } from '../turn.js'

/**
 * Sends a body block by block, under the headers that the reply has. The next block is made only when the
 * socket has taken the last one, so that blocks can be used again, a slow client costs one block, and one that
 * goes away ends the work.
 */
export async function sendBlocks(
  request: FastifyRequest,
  reply: FastifyReply,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  reply.hijack()
  const head = reply.getHeaders() as OutgoingHttpHeaders
  if (request.method === 'HEAD') {
    reply.raw.writeHead(200, head).end()
    return
  }
  try {
    await writeBlocks(request, reply.raw, head, body)
  } catch (error) {
    request.log.error({ err: error }, 'answer broken off')
    reply.raw.destroy()
  }
}

/**
 * Milliseconds of one answer's work after which others get their turn: a socket that takes every block at once
 * calls back before the event loop turns.
 */
const TURN_MS = 2

/** Answers up to this size leave in one piece, with their length. */
const SMALL_BYTES = 1 << 16

/** Where small answers are gathered: buffers are used again, since fresh ones keep the collector busy. */
const freeBuffers: Buffer[] = []
const MAX_FREE_BUFFERS = 64

/** Writes and ends, counting the bytes. Stops early when the client has gone. */
async function writeBlocks(
  request: FastifyRequest,
  response: ServerResponse,
  head: OutgoingHttpHeaders,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const small = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(SMALL_BYTES) // until it is known to be more
  let bytes = 0
  request.bytesOut = 0
  let gone: Promise<false> | undefined
  let turned = Number.NEGATIVE_INFINITY
  for await (const block of body) {
    bytes += block.byteLength
    if (gone === undefined && bytes <= SMALL_BYTES) {
      small.set(block, bytes - block.byteLength)
      continue
    }
    if (gone === undefined) {
      gone = new Promise((resolve) => response.once('close', () => resolve(false)))
      response.writeHead(200, head)
      if (bytes > block.byteLength) response.write(small.subarray(0, bytes - block.byteLength))
    }
    const written = new Promise<boolean>((resolve) => {
      response.write(block, (error) => resolve(!error))
    })
    if (!(await Promise.race([written, gone]))) return
    request.bytesOut = bytes
    if (performance.now() - turned < TURN_MS) continue
    await nextTurn()
    turned = performance.now()
  }
  request.bytesOut = bytes
  if (gone === undefined) {
    head['content-length'] = bytes
    response.writeHead(200, head).end(small.subarray(0, bytes))
  } else response.end()
  // The socket reads it until then; where the client goes away first, nobody uses it again.
  response.once('finish', () => {
    if (freeBuffers.length < MAX_FREE_BUFFERS) freeBuffers.push(small)
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the answer's body that the socket has taken, where it is streamed. */
    bytesOut?: number
  }
}
