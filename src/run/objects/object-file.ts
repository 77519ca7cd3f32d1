import { LOCATION_RULE, parseLocation } from './location.js'
import type { ObjectEntry, ObjectStore } from './object-store.js'
import { storeOf } from './open-store.js'

/** Bytes of one read; the next one is on its way meanwhile. */
const PIECE_BYTES = 1 << 22

/** An object that is read as a file is: all of one state of it, or an error. */
export class ObjectFile {
  private constructor(
    private readonly path: string,
    private readonly store: ObjectStore,
    private readonly entry: ObjectEntry,
  ) {}

  /** @param path `s3://BUCKET/KEY` @throws Error where there is none, StorageError */
  static async open(path: string): Promise<ObjectFile> {
    const location = parseLocation(path)
    if (location === undefined || location.key === '') throw new Error(`${path} must be ${LOCATION_RULE}`)
    const store = await storeOf(location)
    return new ObjectFile(path, store, await entryOf(store, location.key, path))
  }

  get bytes(): number {
    return this.entry.bytes
  }

  async *blocks(): AsyncGenerator<Buffer, void, void> {
    const { bytes } = this
    const pieceAt = (at: number) => {
      const piece = at < bytes ? this.#piece(at, Math.min(PIECE_BYTES, bytes - at)) : undefined
      piece?.catch(() => {}) // told when its turn comes
      return piece
    }
    let next = pieceAt(0)
    for (let at = PIECE_BYTES; next !== undefined; at += PIECE_BYTES) {
      const piece = await next
      next = pieceAt(at)
      yield piece
    }
  }

  async read(start: number, length: number): Promise<Buffer> {
    if (length <= PIECE_BYTES) return this.#piece(start, length)
    const bytes = Buffer.allocUnsafeSlow(length)
    for (let at = 0; at < length; at += PIECE_BYTES)
      (await this.#piece(start + at, Math.min(PIECE_BYTES, length - at))).copy(bytes, at)
    return bytes
  }

  /** @throws Error where the object is another one than at the opening */
  async check(): Promise<void> {
    const { tag, changed } = await entryOf(this.store, this.entry.key, this.path)
    if (tag !== this.entry.tag || changed !== this.entry.changed)
      throw new Error('The file has changed while it was read.')
  }

  async close(): Promise<void> {}

  async #piece(start: number, length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0)
    const piece = await this.store.read(this.entry.key, start, length, this.bytes)
    if (piece === undefined) throw new Error(`There is no object ${this.path}.`)
    return piece
  }
}

async function entryOf(store: ObjectStore, key: string, path: string): Promise<ObjectEntry> {
  for await (const entry of store.list(key)) {
    if (entry.key === key) return entry
    break // what follows is behind it
  }
  throw new Error(`There is no object ${path}.`)
}
