/** The bytes of a document that are not taken yet. Offsets count from the document's first byte. */
export class WaitingText {
  #bytes = Buffer.alloc(0)
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

  /** All bytes from `base` on. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length - this.#base)
  }

  write(utf8: Uint8Array): void {
    const kept = this.#length - this.#taken
    if (this.#length - this.#base + utf8.length > this.#bytes.length) {
      const room = kept + utf8.length
      const bytes =
        room * 2 > this.#bytes.length ? Buffer.allocUnsafe(kept === 0 ? room : room * 2) : this.#bytes
      bytes.set(this.#bytes.subarray(this.#taken - this.#base, this.#length - this.#base))
      this.#bytes = bytes
      this.#base = this.#taken
    }
    this.#bytes.set(utf8, this.#length - this.#base)
    this.#length += utf8.length
  }

  /** Takes the next `count` bytes: a view, valid until the next `write`. */
  take(count: number): Buffer {
    const start = this.#taken - this.#base
    this.#taken += count
    return this.#bytes.subarray(start, start + count)
  }
}
