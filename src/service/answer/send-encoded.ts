import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Answer, countFields } from '../../first-layer/answer.js'
import { InletError, responseTooLarge } from '../../first-layer/errors.js'
import type { Encoded, EncodingFormat, Format } from '../../first-layer/formats/formats.js'
import { type Blocks, BufferPool, begun } from '../../first-layer/tensors/blocks.js'
import type { NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import { calculate } from '../process/calculator.js'
import type { LimitVariables } from '../process/config.js'
import {
  type Claim,
  inTurns,
  isClientGone,
  isTurnOver,
  nextTurn,
  type TurnedBlocks,
  turn,
} from '../process/turn.js'
import { countKeys } from './counts.js'
import { whenEnded } from './request-end.js'

/** An encoded answer, with its own headers. */
export interface EncodedAnswer extends Encoded {
  readonly headers?: Readonly<Record<string, string>>
}

type AnswerLimits = Pick<LimitVariables, 'MAX_JSON_RESPONSE_BYTES' | 'MAX_RESPONSE_BYTES'>

/** Answers up to this size leave in one piece, with their length: 256 KiB. */
const WHOLE_BYTES = 1 << 18

/** Memory that a longer answer reserves: 768 KiB, for a block outside the pool and for its numbers as text. */
const STREAM_BYTES = 3 << 18

/**
 * Sends an answer that is encoded already, once its size is within the limit. The next block is made only when the
 * socket has taken the one before. So blocks can be used again, a slow client costs the memory of one block, and a client
 * that leaves ends the work. A long answer that waits behind another one on its connection makes no block before its turn.
 * @param contentType its media type, which may have parameters
 * @param limit bytes
 * @param tensors the tensors in the answer; what they need is there before the first block
 * @throws InletError `response_too_large` before any of it is made, `overloaded` where there is no room for its blocks,
 *   before anything is sent
 */
export async function sendEncoded(
  request: FastifyRequest,
  reply: FastifyReply,
  { size, exact, headers = {}, body }: EncodedAnswer,
  contentType: string,
  limit: number,
  tensors: readonly NamedTensor[] = [],
): Promise<FastifyReply> {
  if (size > limit) throw responseTooLarge(contentType, limit, `${size} bytes`)
  const facts = { size: exact ? size : undefined, contentType, headers }
  if (request.method === 'HEAD') return head(reply, facts).send(Readable.from([])) // no body: the length stays
  const { claim } = request
  const isSmall = size <= WHOLE_BYTES
  const isPrepared = tensors.some(({ drawn = [], workBytes = 0 }) => drawn.length > 0 || workBytes > 0)
  // Made sooner, it would hold memory while other answers are sent.
  if (!isSmall || isPrepared) await firstInLine(request, reply)
  if (isPrepared) await prepareTensors(tensors, claim)
  const queued = claim.take(Math.min(size, STREAM_BYTES))
  if (queued !== undefined) await queued
  const wait = turn(claim) // many may have waited for the same room
  if (wait !== undefined) await wait
  if (isSmall) return gather(reply, facts, size, body)
  const blocks = inTurns(joined(body), claim)
  const first = await blocks.next() // an error before it is an answer
  return head(reply, facts).send(readable(reply, [first], blocks))
}

/** Numbers that are drawn in some milliseconds: here, without a thread. */
const FEW_DRAWN = 1 << 20

/** Reserves the memory that tensors' blocks take, and draws the tables that they need. */
export async function prepareTensors(tensors: readonly NamedTensor[], claim: Claim): Promise<void> {
  for (const { workBytes = 0, drawn = [] } of tensors) {
    if (workBytes > 0) await claim.take(workBytes)
    for (const each of drawn) {
      await claim.take(each.bytes)
      const { skipped } = each.drawing
      const work = each.numbers + skipped.reduce((sum, count) => sum + count, 0) / 8 // a skip is faster
      if (work > FEW_DRAWN && !each.areThere)
        each.take(await calculate(claim, (of) => of.drawTables(each.drawing)))
    }
  }
}

/**
 * Sends tensors in the format that the request asks for, once their size is within the limit.
 * @throws InletError `response_too_large` before anything is embedded, `overloaded` before anything is sent
 */
export function sendTensors(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  encodingFormat: EncodingFormat,
  limits: AnswerLimits,
): Promise<FastifyReply> {
  const { format, mediaType } = request.negotiated
  const { size, exact, body } = format.encode(answer, encodingFormat)
  const encoded = { size, exact, body, headers: tensorHeaders(format, answer) } // spread, it would get a class of its own
  return sendEncoded(request, reply, encoded, mediaType, limitOf(format, limits), answer.tensors)
}

/** The headers of an answer's tensors: its version, and what the format has no place for: counts, of raw bytes what they are. */
export function tensorHeaders({ isText, isBare }: Format, answer: Answer): Record<string, string> {
  const { counts, modelVersion, tensors } = answer
  const headers: Record<string, string> = {}
  if (isBare) {
    const [{ name, dtype, shape }] = tensors
    headers['x-tensor-name'] = name
    headers['x-tensor-dtype'] = dtype
    headers['x-tensor-shape'] = shape.join(',')
  }
  if (modelVersion !== undefined) headers['x-model-version'] = modelVersion
  if (isText) return headers
  for (const [name, value] of countFields(counts)) headers[countKeys[name]] = String(value)
  return headers
}

/** Bytes that an answer in this format may have. */
export function limitOf({ isText }: Pick<Format, 'isText'>, limits: AnswerLimits): number {
  return isText ? limits.MAX_JSON_RESPONSE_BYTES : limits.MAX_RESPONSE_BYTES
}

interface BodyFacts {
  readonly size: number | undefined
  readonly contentType: string
  /** The answer's own headers, set after the first block is made, when no error answer can follow any more. */
  readonly headers: Readonly<Record<string, string>>
}

type Next = IteratorResult<Uint8Array, void>

/** Memory of answers above 64 KiB until they are sent: new for each, it would make V8 collect all of its heap again and again. */
const wholes = new BufferPool(WHOLE_BYTES, 16)

/** A block that is shorter took no time. */
const DEAR_BYTES = 1 << 10

/** Sends a small body in one piece: its one block, or a copy of its blocks. Where they are too many, it is streamed. */
async function gather(
  reply: FastifyReply,
  facts: BodyFacts,
  expected: number,
  body: Blocks,
): Promise<FastifyReply> {
  const { request } = reply
  const source = begun(body)
  const isLong = expected > OWNED_BYTES // shorter ones hold what they are expected to have, and their claim has
  let whole: Buffer | undefined
  let bytes = 0
  for (;;) {
    const made = source.next()
    const { value: block } = made instanceof Promise ? await made : made
    if (block === undefined) break
    if (block.byteLength === facts.size && !isSharedJson(block, facts)) {
      whenEnded(request, () => void source.return?.()) // the block is used again from then on
      return head(reply, facts).send(Buffer.from(block.buffer, block.byteOffset, block.byteLength))
    }
    if (bytes + block.byteLength > WHOLE_BYTES) {
      const gathered = Buffer.from(whole?.subarray(0, bytes) ?? [])
      if (whole !== undefined && isLong) wholes.give(whole)
      const first = [gathered, block].map((value) => ({ value }))
      return head(reply, facts).send(readable(reply, first, inTurns(source, request.claim)))
    }
    whole ??= isLong ? wholes.take() : Buffer.allocUnsafe(2 * expected)
    if (bytes + block.byteLength > whole.length) whole = Buffer.concat([whole], WHOLE_BYTES)
    whole.set(block, bytes)
    bytes += block.byteLength
    if (block.byteLength >= DEAR_BYTES && isTurnOver()) {
      await nextTurn(request.claim).catch(async (error) => {
        await source.return?.()
        throw error
      })
    }
  }
  if (isLong) whenEnded(request, () => whole && wholes.give(whole)) // not sooner: a caller may have left while it was written
  return head(reply, { ...facts, size: bytes }).send(whole?.subarray(0, bytes) ?? Buffer.alloc(0))
}

/** The framework would serialize JSON in memory that threads share. */
function isSharedJson({ buffer }: Uint8Array, { contentType }: BodyFacts): boolean {
  return buffer instanceof SharedArrayBuffer && contentType.includes('json')
}

function head(reply: FastifyReply, { contentType, headers, size }: BodyFacts): FastifyReply {
  if (size !== undefined) reply.header('content-length', size)
  return reply.type(contentType).headers(headers)
}

/** Small blocks as larger ones, since each block is a write. */
async function* joined(blocks: Blocks): AsyncGenerator<Uint8Array, void, void> {
  const room = rooms.take()
  let bytes = 0
  try {
    for await (const block of blocks) {
      const isLarge = block.length > OWNED_BYTES
      if (bytes > 0 && (isLarge || bytes + block.length > OWNED_BYTES)) {
        yield room.subarray(0, bytes)
        bytes = 0
      }
      if (isLarge) yield block
      else {
        room.set(block, bytes)
        bytes += block.length
      }
    }
    yield room.subarray(0, bytes)
  } finally {
    rooms.give(room)
  }
}

/** A socket is asked for more before it has written fewer bytes than these: Node's largest high-water mark. */
const OWNED_BYTES = 1 << 16
const rooms = new BufferPool(OWNED_BYTES, 16)

/**
 * Blocks as a stream, each made when the socket has taken the one before: `Readable.from` makes one ahead. It counts
 * their bytes in `bytesOut`.
 * @param made the first ones, which are made already
 */
function readable(reply: FastifyReply, made: Next[], blocks: TurnedBlocks): Readable {
  const { request } = reply
  let bytes = 0
  return new Readable({
    highWaterMark: 0,
    async read() {
      try {
        await untilTaken(reply)
        request.bytesOut = bytes
        // A socket that takes every block at once asks for the next one before the event loop turns.
        await turn(request.claim)
        const { done, value } = made.shift() ?? (await blocks.next())
        if (done) this.push(null)
        else {
          bytes += value.byteLength
          this.push(value.byteLength <= OWNED_BYTES ? Buffer.from(value) : value)
        }
      } catch (error) {
        // An error that is neither a client that left nor a deadline is a failure of the service.
        if (!isClientGone(error) && !(error instanceof InletError))
          request.log.error({ err: error }, 'answer broken off')
        this.destroy(error as Error)
      }
    },
    destroy(error, done) {
      blocks.return().then(() => done(error), done)
    },
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes of the answer's body that the socket has taken, if the body is sent in blocks. */
    bytesOut?: number
  }
}

/**
 * Where requests were pipelined, waits until Node has sent all answers before this one on its connection: the
 * client cannot receive a byte of this one sooner. Undefined where this answer is the first.
 */
function firstInLine({ claim }: FastifyRequest, { raw }: FastifyReply): Promise<void> | undefined {
  // Node gives an answer the socket when all answers before it are sent.
  return raw.socket === null ? heard(claim, raw, 'socket') : undefined
}

/**
 * Waits until the connection has taken all that was written to it. Node says so too early where pipelined answers wait
 * behind this one: each that is added lets this one go on. Undefined where all is taken.
 */
function untilTaken({ raw, request: { claim } }: FastifyReply): Promise<void> | undefined {
  return raw.socket?.writableNeedDrain ? heard(claim, raw.socket, 'drain') : undefined
}

/** Waits for an event. @throws what the claim is aborted with before (the promise rejects) */
function heard(claim: Claim, emitter: NodeJS.EventEmitter, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const forget = claim.onAbort(reject)
    emitter.once(event, () => {
      forget()
      resolve()
    })
  })
}
