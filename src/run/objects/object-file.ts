import { LOCATION_RULE, parseLocation } from './location.js'
import { hasChanged, storeOf } from './s3-store.js'

/** Bytes of one read; the next one is requested at the same time. */
const PIECE_BYTES = 1 << 22

/**
 * Opens an object as a file: readers get one state of it, or an error.
 *
 * @param path `s3://BUCKET/KEY` @throws Error if there is none, StorageError
 */
export async function openObject(path: string) {
  const location = parseLocation(path)
  if (location === undefined || location.key === '') throw new Error(`${path} must be ${LOCATION_RULE}`)
  const { key } = location
  const store = storeOf(location)
  const there = <Found>(found: Found | undefined): Found => {
    if (found === undefined) throw new Error(`There is no object ${path}.`)
    return found
  }
  const { bytes, tag } = there(await store.head(key))
  const piece = async (start: number, length: number): Promise<Buffer> => {
    const read = store.get(key, `bytes=${start}-${start + length - 1}`, tag).catch((error) => {
      throw hasChanged(error) ? new Error('The file has changed while it was read.') : error
    })
    return there(await read)
  }
  return {
    bytes,
    async *blocks(): AsyncGenerator<Buffer, void, void> {
      const pieceAt = (at: number) => {
        const next = at < bytes ? piece(at, Math.min(PIECE_BYTES, bytes - at)) : undefined
        next?.catch(() => {}) // its turn to be awaited comes
        return next
      }
      let next = pieceAt(0)
      for (let at = PIECE_BYTES; next !== undefined; at += PIECE_BYTES) {
        const read = await next
        next = pieceAt(at)
        yield read
      }
    },
    async read(start: number, length: number): Promise<Buffer> {
      const read = Buffer.allocUnsafeSlow(length)
      for (let at = 0; at < length; at += PIECE_BYTES)
        (await piece(start + at, Math.min(PIECE_BYTES, length - at))).copy(read, at)
      return read
    },
    check: async () => {}, // each read was of the same state
    [Symbol.asyncDispose]: async () => {},
  }
}
