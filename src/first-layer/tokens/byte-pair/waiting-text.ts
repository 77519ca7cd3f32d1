/**
 * The bytes of a document that are not taken yet. Offsets count from the document's first byte. Bytes that are written
 * when none wait are read where they are, until `keep`: most are taken by then, and a copy is memory for the collector.
 */
export class WaitingText {
  #bytes: Buffer = Buffer.alloc(0)
  /** Whether `#bytes` belong to the caller. */
  #isLent = false
  #base = 0
  #length = 0
  #taken = 0

  /** The number of written bytes, and of taken ones. */
  get length(): number {
    return this.#length
  }

  get taken(): number {
    return this.#taken
  }

  /** The offset of `bytes[0]`. */
  get base(): number {
    return this.#base
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length - this.#base)
  }

  write(utf8: Uint8Array): void {
    const kept = this.#length - this.#taken
    if (kept === 0) {
      this.#bytes = Buffer.from(utf8.buffer, utf8.byteOffset, utf8.length)
      this.#isLent = true
      this.#base = this.#taken
    } else {
      this.#join(utf8, kept)
    }
    this.#length += utf8.length
  }

  /** Puts `utf8` behind the `kept` bytes. */
  #join(utf8: Uint8Array, kept: number): void {
    const room = kept + utf8.length
    if (this.#isLent || this.#length - this.#base + utf8.length > this.#bytes.length) {
      const bytes = this.#isLent || room * 2 > this.#bytes.length ? Buffer.allocUnsafe(room * 2) : this.#bytes
      bytes.set(this.#bytes.subarray(this.#taken - this.#base, this.#length - this.#base))
      this.#bytes = bytes
      this.#isLent = false
      this.#base = this.#taken
    }
    this.#bytes.set(utf8, this.#length - this.#base)
  }

  /** Copies the bytes that wait: the caller uses its own again. */
  keep(): void {
    if (!this.#isLent) return
    this.#bytes = Buffer.from(this.#bytes.subarray(this.#taken - this.#base, this.#length - this.#base))
    this.#isLent = false
    this.#base = this.#taken
  }

  /** Takes the next `count` bytes: a view, valid until the next `write`. */
  take(count: number): Buffer {
    const start = this.#taken - this.#base
    this.#taken += count
    return this.#bytes.subarray(start, start + count)
  }
}
