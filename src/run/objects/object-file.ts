import { LOCATION_RULE, parseLocation } from './location.js'
import { type ObjectEntry, type ObjectStore, storeOf } from './s3-store.js'

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
  const store = storeOf(location)
  const opened = await entryOf(store, location.key, path)
  const { bytes } = opened
  const piece = async (start: number, length: number): Promise<Buffer> => {
    const read = length === 0 ? Buffer.alloc(0) : await store.read(opened.key, start, length, bytes)
    if (read === undefined) throw new Error(`There is no object ${path}.`)
    return read
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
      if (length <= PIECE_BYTES) return piece(start, length)
      const read = Buffer.allocUnsafeSlow(length)
      for (let at = 0; at < length; at += PIECE_BYTES)
        (await piece(start + at, Math.min(PIECE_BYTES, length - at))).copy(read, at)
      return read
    },
    async check(): Promise<void> {
      const { tag, changed } = await entryOf(store, opened.key, path)
      if (tag !== opened.tag || changed !== opened.changed)
        throw new Error('The file has changed while it was read.')
    },
    async close(): Promise<void> {},
  }
}

async function entryOf(store: ObjectStore, key: string, path: string): Promise<ObjectEntry> {
  for await (const entry of store.list(key)) {
    if (entry.key === key) return entry
    break // listings are sorted: what follows is longer
  }
  throw new Error(`There is no object ${path}.`)
}
