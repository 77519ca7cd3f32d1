import { createHash } from 'node:crypto'
import type { ObjectBody, ObjectParts, ObjectStore } from './object-store.js'

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
