import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isClientGone, isTurnOver, nextTurn } from '../../first-layer/running/drive.js'
import { whenEnded } from '../request/request-end.js'
import { InletError } from './error-table.js'
import { headOf } from './every-answer.js'

/** Answers up to this size leave in one piece, with their length: 256 KiB. */
const WHOLE_BYTES = 1 << 18

/** Memory that a longer answer reserves: 768 KiB, for a block outside the pool and for its numbers as text. */
const STREAM_BYTES = 3 << 18

export interface BodyFacts {
  readonly size?: number
  /** Greatest possible length in bytes. Default: `size`. */
  readonly most?: number
  readonly contentType: string
  /** The answer's own headers, set after the first block is made, when no error answer can follow any more. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Sends a body that comes in blocks. The next block is made only when the socket has taken the one before. So
 * blocks can be used again, a slow client costs the memory of one block, and a client that leaves ends the
 * work. A long answer that waits behind another one on its connection makes no block before its turn.
 * @throws InletError `overloaded` where there is no room for its blocks, before anything is sent
 */
export async function sendBlocks(
  request: FastifyRequest,
  reply: FastifyReply,
  body: AsyncIterable<Uint8Array>,
  facts: BodyFacts,
): Promise<void> {
  const { most = facts.size } = facts
  if (request.method === 'HEAD') {
    writeHead(request, reply, facts).end()
    return
  }
  const { claim } = request
  const isSmall = most !== undefined && most <= WHOLE_BYTES
  if (!isSmall) await firstInLine(request, reply)
  const queued = claim.take(Math.min(most ?? STREAM_BYTES, STREAM_BYTES))
  if (queued !== undefined) await queued
  if (!isSmall && isTurnOver()) await nextTurn(claim) // many may have waited for the same room
  const blocks = body[Symbol.asyncIterator]()
  if (isSmall || most === undefined) return gather(request, reply, facts, blocks)
  const first = await blocks.next() // an error before it is an answer
  await stream(request, reply, facts, chained(first, blocks))
}

/** Sends a small body in one piece: its one block, or a copy of its blocks. Where they are too many, it is streamed. */
async function gather(
  request: FastifyRequest,
  reply: FastifyReply,
  facts: BodyFacts,
  blocks: AsyncIterator<Uint8Array>,
): Promise<void> {
  const parts: Buffer[] = []
  let bytes = 0
  let next = await blocks.next()
  if (!next.done && next.value.byteLength === facts.size) {
    whenEnded(request, () => void blocks.return?.()) // the block is used again from then on
    writeHead(request, reply, facts).end(next.value)
    return
  }
  while (!next.done && bytes + next.value.byteLength <= WHOLE_BYTES) {
    bytes += parts[parts.push(Buffer.from(next.value)) - 1].byteLength
    next = await blocks.next()
  }
  const gathered = parts.length === 1 ? parts[0] : Buffer.concat(parts, bytes)
  if (!next.done) return stream(request, reply, facts, chained(next, blocks, gathered))
  writeHead(request, reply, { ...facts, size: bytes }).end(gathered)
}

const NOTHING = Buffer.alloc(0)

async function* chained(
  first: IteratorResult<Uint8Array>,
  following: AsyncIterator<Uint8Array>,
  gathered: Uint8Array = NOTHING,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    if (gathered.byteLength > 0) yield gathered
    for (let next = first; !next.done; next = await following.next()) yield next.value
  } finally {
    await following.return?.()
  }
}

/** Writes the head at once, and each block when the socket has taken the one before. */
async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  facts: BodyFacts,
  blocks: AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    await writeBlocks(request, writeHead(request, reply, facts), blocks)
  } catch (error) {
    // An error that is neither a client that left nor a deadline is a failure of the service.
    if (!isClientGone(error) && !(error instanceof InletError)) {
      request.log.error({ err: error }, 'answer broken off')
    }
    reply.raw.destroy()
  }
}

function writeHead(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, headers, size }: BodyFacts,
): ServerResponse {
  reply.hijack()
  reply.type(contentType)
  if (size !== undefined) reply.header('content-length', size)
  return reply.raw.writeHead(reply.statusCode, headOf(request, reply, headers))
}

/** Writes the blocks, counts their bytes in `bytesOut`, ends the answer. Stops early when the client has gone. */
async function writeBlocks(
  request: FastifyRequest,
  response: ServerResponse,
  blocks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const writes = new Writes(response)
  whenEnded(request, () => writes.end())
  let bytes = 0
  request.bytesOut = 0
  for await (const block of blocks) {
    if (!(await writes.written(block))) return
    bytes += block.byteLength
    request.bytesOut = bytes
    // A socket that takes every block at once calls back before the event loop turns.
    if (isTurnOver()) await nextTurn()
  }
  response.end()
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the answer's body that the socket has taken, if the body is sent in blocks. */
    bytesOut?: number
  }
}

/**
 * Writes blocks to a stream, one after the other, until {@link end} is called.
 * A race of each write against one promise of the end would leave a reaction at this promise for every block.
 * A gigabyte leaves tens of thousands, which stay in memory and all run in one turn when the promise settles.
 */
export class Writes {
  #isOver = false
  #settle = (_isTaken: boolean) => {}

  constructor(private readonly stream: Pick<Writable, 'write'>) {}

  /** Ends the write that is waited for, and all later ones. */
  end(): void {
    this.#isOver = true
    this.#settle(false)
  }

  /** Whether the stream has taken a block; false where it failed, or {@link end} came first. */
  written(block: Uint8Array): Promise<boolean> {
    if (this.#isOver) return Promise.resolve(false)
    return new Promise((resolve) => {
      this.#settle = resolve
      this.stream.write(block, (error) => resolve(!error))
    })
  }
}

/**
 * Where requests were pipelined, waits until Node has sent all answers before this one on its connection: the
 * client cannot receive a byte of this one sooner. Undefined where this answer is the first.
 * @throws what the claim is aborted with (the promise rejects)
 */
export function firstInLine({ claim }: FastifyRequest, { raw }: FastifyReply): Promise<void> | undefined {
  if (raw.socket !== null) return undefined // Node gives an answer the socket when all answers before it are sent
  return new Promise((resolve, reject) => {
    const forget = claim.onAbort(reject)
    raw.once('socket', () => {
      forget()
      resolve()
    })
  })
}
