/** Texts, one behind the other, each of which is counted by itself. */
export interface Slice {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where each text ends in `bytes`. */
  readonly ends: readonly number[]
}

const SLICE_BYTES = 1 << 20

/** Cuts documents into slices of about a megabyte, within a document only where a piece ends whatever is around it. */
export class Slices {
  #bytes = new Uint8Array(2 * SLICE_BYTES)
  #length = 0
  #ends: number[] = []
  /** Up to here there is no place to cut the document that goes on. */
  #seen = 0

  /**
   * @param safe for each two characters of ASCII whether a piece ends between them (training/cutting.ts)
   * @param take called with each slice; what it waits for, so does `write`
   */
  constructor(
    private readonly safe: Uint8Array,
    private readonly take: (slice: Slice) => Promise<void>,
  ) {}

  /** Takes the next bytes of documents; `ends`: how many of them come before the end of each document that ends here. */
  async write(bytes: Int32Array, ends: Int32Array): Promise<void> {
    const start = this.#length
    this.#makeRoom(bytes.length)
    this.#bytes.set(bytes, start)
    this.#length += bytes.length
    for (const end of ends) this.#ends.push(start + end)
    if (this.#length >= SLICE_BYTES) await this.#emit(this.#cut())
  }

  async end(): Promise<void> {
    await this.#emit(this.#length)
  }

  /** The last place at which the bytes can be cut; 0 if there is none. */
  #cut(): number {
    const last = this.#ends.at(-1) ?? 0
    for (let at = this.#length - 1; at > Math.max(last, this.#seen); at--) {
      const [before, behind] = [this.#bytes[at - 1]!, this.#bytes[at]!]
      if (before < 128 && behind < 128 && this.safe[(before << 7) | behind] === 1) return at
    }
    this.#seen = this.#length - 1
    return last
  }

  async #emit(length: number): Promise<void> {
    if (length === 0) return
    const rest = this.#length - length
    const bytes = this.#bytes
    const ends = this.#ends
    if (ends.at(-1) !== length) ends.push(length)
    this.#bytes = new Uint8Array(Math.max(2 * SLICE_BYTES, 2 * rest))
    this.#bytes.set(bytes.subarray(length, length + rest))
    this.#length = rest
    this.#ends = []
    this.#seen = 0
    await this.take({ bytes, ends })
  }

  #makeRoom(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = new Uint8Array(2 * (this.#length + more))
    larger.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = larger
  }
}
