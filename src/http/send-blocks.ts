import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endOfTurn, nextTurn } from '../turn.js'
import { whenEnded } from './request-end.js'

/** Answers up to this size leave in one piece, with their length. */
const WHOLE_BYTES = 1 << 18

/** Where such answers are gathered: buffers are used again, since fresh ones keep the collector busy. */
const freeBuffers: Buffer[] = []
const MAX_FREE_BUFFERS = 32

function giveBuffer(buffer: Buffer): void {
  if (freeBuffers.length < MAX_FREE_BUFFERS) freeBuffers.push(buffer)
}

/**
 * Milliseconds of one answer's work after which others get their turn: a socket that takes every block at once
 * calls back before the event loop turns.
 */
const TURN_MS = 1

/**
 * Sends a body that comes in blocks, under the headers that the reply has. The next block is made only when the
 * socket has taken the last one, so that blocks can be used again, a slow client costs one block, and one that
 * goes away ends the work.
 *
 * @param size bytes of the body, where they are known
 * @returns a small answer as a whole, for the handler to return; undefined where the answer is sent already
 */
export async function sendBlocks(
  request: FastifyRequest,
  reply: FastifyReply,
  body: AsyncIterable<Uint8Array>,
  size?: number,
): Promise<Buffer | undefined> {
  if (request.method === 'HEAD') {
    reply.hijack()
    request.bytesOut = 0
    reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders).end()
    return undefined
  }
  const blocks = body[Symbol.asyncIterator]()
  let next = await blocks.next()
  if (!next.done && next.value.byteLength === size) {
    await endOfTurn()
    return oneBlock(request, reply, next.value, blocks)
  }
  const buffer = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(WHOLE_BYTES)
  let bytes = 0
  while (!next.done && bytes + next.value.byteLength <= WHOLE_BYTES) {
    buffer.set(next.value, bytes)
    bytes += next.value.byteLength
    next = await blocks.next()
  }
  if (next.done) {
    await endOfTurn()
    // The socket reads it until then; where the client goes away first, nobody uses it again.
    reply.raw.once('finish', () => {
      request.bytesOut = bytes
      giveBuffer(buffer)
    })
    return buffer.subarray(0, bytes)
  }
  reply.hijack()
  request.bytesOut = 0
  const rest = blocksFrom(buffer, bytes, next.value, blocks)
  try {
    reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
    await writeBlocks(request, reply.raw, rest)
  } catch (error) {
    request.log.error({ err: error }, 'answer broken off')
    reply.raw.destroy()
  }
  return undefined
}

/** A block that is the whole body: it goes out as it is, and back to its pool when the socket has taken it. */
function oneBlock(
  request: FastifyRequest,
  reply: FastifyReply,
  block: Uint8Array,
  blocks: AsyncIterator<Uint8Array>,
): Buffer {
  reply.raw.once('finish', () => {
    request.bytesOut = block.byteLength
  })
  whenEnded(request, () => void blocks.return?.())
  return Buffer.from(block.buffer, block.byteOffset, block.byteLength)
}

/** What has been gathered, the block that did not fit, and all that follow. */
async function* blocksFrom(
  buffer: Buffer,
  gathered: number,
  block: Uint8Array,
  following: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    if (gathered > 0) yield buffer.subarray(0, gathered)
    giveBuffer(buffer)
    for (let next: IteratorResult<Uint8Array> = { value: block }; !next.done; next = await following.next())
      yield next.value
  } finally {
    await following.return?.()
  }
}

/** Writes and ends, counting the bytes. Stops early when the client has gone. */
async function writeBlocks(
  request: FastifyRequest,
  response: ServerResponse,
  blocks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const gone = new Promise<false>((resolve) => whenEnded(request, () => resolve(false)))
  let bytes = 0
  let turned = Number.NEGATIVE_INFINITY
  for await (const block of blocks) {
    const written = new Promise<boolean>((resolve) => {
      response.write(block, (error) => resolve(!error))
    })
    if (!(await Promise.race([written, gone]))) return
    bytes += block.byteLength
    request.bytesOut = bytes
    if (performance.now() - turned < TURN_MS) continue
    await nextTurn()
    turned = performance.now()
  }
  response.end()
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the answer's body that the socket has taken, where it comes in blocks. */
    bytesOut?: number
  }
}
