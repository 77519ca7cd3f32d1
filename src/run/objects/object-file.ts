import { createHash } from 'node:crypto'
import {
  LOCATION_RULE,
  type ObjectBody,
  type ObjectEntry,
  type ObjectParts,
  type ObjectStore,
  parseLocation,
} from './location.js'
import { storeOf } from './s3-store.js'

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
    const store = storeOf(location)
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

/** Bytes of a part: a writer holds so many, and no object has more than 10,000. */
export const PART_BYTES = 1 << 23
const MAX_PARTS = 10_000

/** Memory to begin with; it grows up to a part. */
const FIRST_BYTES = 1 << 16

/** Writes an object as its bytes come: a small one at once at its end, a large one in parts. It is there when closed. */
export class ObjectWriter {
  #buffer = Buffer.alloc(0)
  #length = 0
  #hash = createHash('sha256')
  #parts: ObjectParts | undefined
  #numParts = 0

  constructor(
    private readonly store: ObjectStore,
    private readonly key: string,
  ) {}

  /** Appends bytes; they are read no more once this settles. @throws StorageError */
  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#length === PART_BYTES) await this.#putPart()
      const part = bytes.subarray(at, at + PART_BYTES - this.#length)
      if (this.#length + part.length > this.#buffer.length) this.#grow(this.#length + part.length)
      this.#buffer.set(part, this.#length)
      this.#hash.update(part)
      this.#length += part.length
      at += part.length
    }
  }

  /** Makes the object be there. */
  async close(): Promise<void> {
    if (this.#parts === undefined) return this.store.put(this.key, this.#body())
    if (this.#length > 0) await this.#putPart()
    await this.#parts.complete()
    this.#parts = undefined
  }

  /** Gives up what is not closed. */
  async abandon(): Promise<void> {
    const parts = this.#parts
    this.#parts = undefined
    this.#buffer = Buffer.alloc(0)
    await parts?.abort()
  }

  #grow(needed: number): void {
    const larger = Math.min(PART_BYTES, Math.max(needed, 2 * this.#buffer.length, FIRST_BYTES))
    const buffer = Buffer.allocUnsafeSlow(larger)
    this.#buffer.copy(buffer, 0, 0, this.#length)
    this.#buffer = buffer
  }

  async #putPart(): Promise<void> {
    if (this.#numParts === MAX_PARTS) {
      const message = `An object of a bucket must be at most ${PART_BYTES * MAX_PARTS} bytes. Given: more`
      throw new Error(message)
    }
    this.#parts ??= await this.store.begin(this.key)
    await this.#parts.put(++this.#numParts, this.#body())
    this.#length = 0
    this.#hash = createHash('sha256')
  }

  #body(): ObjectBody {
    return { bytes: this.#buffer.subarray(0, this.#length), sha256: this.#hash.copy().digest('hex') }
  }
}
