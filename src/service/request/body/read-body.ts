import { PassThrough, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { bodyTooLarge } from '../../../first-layer/errors.js'
import { checkedText } from '../../../first-layer/tokens/unicode/utf8.js'
import { HeaderedError, InletError, shown } from '../../answer/error-table.js'
import { ClientGone, isClientGone } from '../../process/turn.js'
import { hasLargeBody, Reservation, SMALL_BODY_BYTES } from '../claims.js'
import { endIfSlow } from './slow-bodies.js'

/** Memory of an unpacker and its next chunk. */
const UNPACKER_BYTES = 131_072
/** Brotli's largest window: its unpacker holds what it has unpacked, up to so many bytes. */
const BROTLI_WINDOW_BYTES = 1 << 24

/** The values of `Content-Encoding`; `deflate` is zlib's format, as HTTP defines it. */
const UNPACKERS = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate,
} as const

type Coding = keyof typeof UNPACKERS
const ACCEPTED = 'gzip, br, deflate'

/**
 * The coding of a request's body; undefined where it is not packed.
 * @throws InletError `unsupported_media_type` for an unknown coding, and for several
 */
export function contentCoding({ headers }: FastifyRequest): Coding | undefined {
  const header = headers['content-encoding']
  const coding = header?.trim().toLowerCase()
  if (coding === undefined || coding === '' || coding === 'identity') return undefined
  if (Object.hasOwn(UNPACKERS, coding)) return coding as Coding
  const message = `\`Content-Encoding\` must be one of identity, ${ACCEPTED}. Given: ${shown(header)}`
  throw new HeaderedError('unsupported_media_type', message, 'content-encoding', {
    'accept-encoding': ACCEPTED,
  })
}

/** Refuses a body that is not packed and whose `Content-Length` is over the limit. @throws InletError `body_too_large` */
export function checkContentLength(request: FastifyRequest, limit: number, variable?: string): void {
  const length = Number(request.headers['content-length'] ?? 0)
  if (length > limit && contentCoding(request) === undefined) throw bodyTooLarge(limit, length, variable)
}

/**
 * A request's whole body, unpacked. The request's claim reserves its bytes.
 * @param variable of the environment that the limit is, for the sentence
 * @throws InletError `overloaded`, and as {@link bodyChunks}
 */
export async function readBody(request: FastifyRequest, limit: number, variable?: string): Promise<Buffer> {
  checkContentLength(request, limit, variable)
  const { claim, headers } = request
  const isPacked = contentCoding(request) !== undefined
  const expected = isPacked ? 0 : Number(headers['content-length'] ?? 0)
  const body = expected > SMALL_BODY_BYTES ? Buffer.allocUnsafeSlow(expected) : undefined
  const chunks: Buffer[] = []
  let length = 0
  const add = (chunk: Buffer) => {
    if (length + chunk.length > limit) throw bodyTooLarge(limit, undefined, variable)
    if (body === undefined) chunks.push(chunk)
    else body.set(chunk, length)
    length += chunk.length
    return claim.take(chunk.length) // for what has come: the system gives memory for a buffer where it is written
  }
  if (isPacked) for await (const chunk of bodyChunks(request, limit)) await add(chunk)
  else await eachChunk(request, add)
  return body ?? (chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length))
}

/** Most bodies are one small chunk: an iterator would cost more than the reading itself. */
function eachChunk(
  request: FastifyRequest,
  take: (chunk: Buffer) => Promise<void> | undefined,
): Promise<void> {
  const { raw, claim } = request
  claim.throwIfAborted()
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      forget()
      raw.off('data', onData).pause()
      reject(error)
    }
    const forget = claim.onAbort(fail)
    if (hasLargeBody(raw)) endIfSlow(request)
    const onData = (chunk: Buffer) => {
      try {
        const wait = take(chunk)
        if (wait === undefined) return
        raw.pause()
        wait.then(() => raw.resume(), fail)
      } catch (error) {
        fail(error)
      }
    }
    const onGone = () => {
      if (!raw.readableEnded) fail(new ClientGone()) // a request that has ended closes too
    }
    raw.on('error', onGone).on('close', onGone).on('data', onData)
    raw.on('end', () => {
      forget()
      resolve()
    })
  })
}

/**
 * A request's body, unpacked, chunk by chunk as it arrives; memory holds a few. Where the reader stops early, the
 * connection stays open.
 * @param limit of the unpacked bytes
 * @throws InletError `body_too_large`; `invalid_encoding` where packed bytes are broken, end early or go on after their end
 * @throws ClientGone where the body breaks off; also the error that the claim is aborted with
 */
export async function* bodyChunks(
  request: FastifyRequest,
  limit: number,
): AsyncGenerator<Buffer, void, void> {
  const { raw, claim } = request
  const coding = contentCoding(request)
  const room = new Reservation(claim)
  const windowBytes = coding === 'br' ? BROTLI_WINDOW_BYTES : 0
  if (coding !== undefined) await room.reach(UNPACKER_BYTES)
  const stream = coding === undefined ? new PassThrough() : UNPACKERS[coding]()
  const onGone = () => {
    if (!raw.readableEnded) stream.destroy(new ClientGone())
  }
  const forget = claim.onAbort((error) => stream.destroy(error))
  if (hasLargeBody(raw)) endIfSlow(request)
  let packed = 0
  if (coding !== undefined) {
    raw.on('data', (chunk: Buffer) => {
      packed += chunk.length
    })
  }
  raw.on('error', onGone).on('close', onGone).pipe(stream)
  let length = 0
  try {
    for await (const chunk of stream as Readable) {
      length += chunk.length
      if (length > limit) throw bodyTooLarge(limit)
      if (windowBytes > 0) await room.reach(UNPACKER_BYTES + Math.min(length, windowBytes))
      yield chunk
    }
  } catch (error) {
    if (coding === undefined || error instanceof InletError || isClientGone(error)) throw error
    throw invalidEncoding(coding, (error as Error).message)
  } finally {
    forget()
    raw.unpipe(stream).pause()
    room.settle(0)
  }
  if ('bytesWritten' in stream && stream.bytesWritten !== packed)
    throw invalidEncoding(coding!, 'bytes after its end')
}

function invalidEncoding(coding: Coding, reason: string): InletError {
  const message = `The body must be ${coding}, as \`Content-Encoding\` says: ${reason}.`
  return new InletError('invalid_encoding', message, 'content-encoding')
}

/**
 * A body that is one text, of which nothing is read yet. Its chunks throw InletError `body_too_large`,
 * `invalid_encoding`, `invalid_unicode` with the byte offset in the whole text, `empty_input`.
 * @throws InletError `body_too_large` by its `Content-Length`
 */
export function rawText(request: FastifyRequest, limit: number): AsyncIterable<Uint8Array> {
  checkContentLength(request, limit)
  return textChunks(request, limit)
}

async function* textChunks(request: FastifyRequest, limit: number): AsyncGenerator<Uint8Array, void, void> {
  await request.claim.take(1) // if there is no room, the request is refused before its body is read
  yield* checkedText(bodyChunks(request, limit))
}
