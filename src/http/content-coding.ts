import { pipeline, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { InletError, shown } from '../errors.js'

type Unpacker = Transform & { readonly bytesWritten: number }

const CHUNK = { chunkSize: 65_536 }

/** What `Content-Encoding` can say; `deflate` is zlib's format, as HTTP defines it. */
const UNPACKERS: Readonly<Record<string, () => Unpacker>> = {
  gzip: () => createGunzip(CHUNK),
  'x-gzip': () => createGunzip(CHUNK),
  br: () => createBrotliDecompress(CHUNK),
  deflate: () => createInflate(CHUNK),
}

const ACCEPTED = 'gzip, br, deflate'

/**
 * The coding of a body as `unpacked` takes it; undefined where the body is as it is.
 *
 * @throws InletError `unsupported_media_type` for another one, and for several
 */
export function contentCoding(header: string | undefined): string | undefined {
  const coding = header?.trim().toLowerCase()
  if (coding === undefined || coding === '' || coding === 'identity') return undefined
  if (Object.hasOwn(UNPACKERS, coding)) return coding
  const message = `\`Content-Encoding\` must be one of identity, ${ACCEPTED}. Given: ${shown(header)}`
  throw new InletError('unsupported_media_type', message, 'content-encoding', { 'accept-encoding': ACCEPTED })
}

/**
 * Packed chunks → unpacked ones of at most 64 KiB. No more is unpacked than is asked for, however much a few
 * packed bytes hold: whoever counts can stop in time.
 *
 * @throws InletError `invalid_encoding` where the bytes are broken, end early, or go on after their end
 */
export async function* unpacked(
  packed: AsyncIterable<Uint8Array>,
  coding: string,
): AsyncGenerator<Uint8Array, void, void> {
  const unpacker = UNPACKERS[coding]()
  let received = 0
  let sourceFailed = false
  async function* counted() {
    try {
      for await (const chunk of packed) {
        received += chunk.length
        yield chunk
      }
    } catch (error) {
      sourceFailed = true
      throw error
    }
  }
  pipeline(counted(), unpacker, () => {}) // its errors come out of the unpacker too
  try {
    yield* unpacker
  } catch (error) {
    throw sourceFailed ? error : invalidEncoding(coding, (error as Error).message)
  }
  if (unpacker.bytesWritten !== received) throw invalidEncoding(coding, 'bytes after its end')
}

function invalidEncoding(coding: string, reason: string): InletError {
  const message = `The body must be ${coding}, as \`Content-Encoding\` says: ${reason}.`
  return new InletError('invalid_encoding', message, 'content-encoding')
}
