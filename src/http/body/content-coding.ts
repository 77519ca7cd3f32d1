import { pipeline, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { HeaderedError, InletError, shown } from '../../errors.js'
import type { Claim } from '../../load/claim.js'
import { isClientGone } from '../../load/client-gone.js'
import { Reservation } from '../../load/reservation.js'

type Unpacker = Transform & { readonly bytesWritten: number }

const CHUNK = { chunkSize: 65_536 }

/** The values of `Content-Encoding`; `deflate` is zlib's format, as HTTP defines it. */
const UNPACKERS: Readonly<Record<string, () => Unpacker>> = {
  gzip: () => createGunzip(CHUNK),
  'x-gzip': () => createGunzip(CHUNK),
  br: () => createBrotliDecompress(CHUNK),
  deflate: () => createInflate(CHUNK),
}

const ACCEPTED = 'gzip, br, deflate'

/**
 * The coding of a body, for `unpacked`; undefined where the body is not packed.
 *
 * @throws InletError `unsupported_media_type` for an unknown coding, and for several
 */
export function contentCoding(header: string | undefined): string | undefined {
  const coding = header?.trim().toLowerCase()
  if (coding === undefined || coding === '' || coding === 'identity') return undefined
  if (Object.hasOwn(UNPACKERS, coding)) return coding
  const message = `\`Content-Encoding\` must be one of identity, ${ACCEPTED}. Given: ${shown(header)}`
  throw new HeaderedError('unsupported_media_type', message, 'content-encoding', {
    'accept-encoding': ACCEPTED,
  })
}

/** Up to so many unpacked bytes the ratio is not checked. */
const FREE_BYTES = 1 << 20
/** The most unpacked bytes for each packed one. Deflate gives at most 1,032, whatever the text. */
export const MAX_RATIO = 1100
/** An unpacker's state and its next chunk. */
const UNPACKER_BYTES = 131_072
/** Brotli's largest window: the most unpacked bytes that an unpacker keeps to look back at. */
const MAX_WINDOW_BYTES = 1 << 24

/**
 * Packed chunks → unpacked ones of at most 64 KiB. Each chunk is unpacked only when the reader asks for it, so a
 * reader that counts bytes can stop in time, however much a few packed bytes hold. The unpacker's memory is
 * reserved while it exists; the unpacker is destroyed when the request ends.
 *
 * @throws InletError `invalid_encoding` where the packed bytes are broken, end early, go on after their end, or
 * unpack to more than 1,100 times their number
 */
export async function* unpacked(
  packed: AsyncIterable<Uint8Array>,
  coding: string,
  claim: Claim,
): AsyncGenerator<Uint8Array, void, void> {
  const room = new Reservation(claim)
  await room.reach(UNPACKER_BYTES)
  const unpacker = UNPACKERS[coding]()
  const forget = claim.onAbort((error) => unpacker.destroy(error))
  let received = 0
  let given = 0
  async function* counted() {
    for await (const chunk of packed) {
      received += chunk.length
      yield chunk
    }
  }
  pipeline(counted(), unpacker, () => {}) // the loop below gets the errors from the unpacker
  try {
    for await (const chunk of unpacker) {
      given += chunk.length
      if (given > FREE_BYTES && given > MAX_RATIO * received) throw tooDense(coding)
      const wait = room.reach(UNPACKER_BYTES + Math.min(given, MAX_WINDOW_BYTES))
      if (wait !== undefined) await wait
      yield chunk
    }
  } catch (error) {
    throw error instanceof InletError || isClientGone(error)
      ? error
      : invalidEncoding(coding, (error as Error).message)
  } finally {
    forget()
    room.settle(0)
  }
  if (unpacker.bytesWritten !== received) throw invalidEncoding(coding, 'bytes after its end')
}

function tooDense(coding: string): InletError {
  return invalidEncoding(coding, `it unpacks to more than ${MAX_RATIO} times its bytes`)
}

function invalidEncoding(coding: string, reason: string): InletError {
  const message = `The body must be ${coding}, as \`Content-Encoding\` says: ${reason}.`
  return new InletError('invalid_encoding', message, 'content-encoding')
}
