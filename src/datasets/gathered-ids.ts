/** Ids that are gathered for writes of one size. */
export class GatheredIds {
  readonly #ids: Int32Array
  #length = 0

  /**
   * @param most ids of a write
   * @param flush writes them; they may change as soon as it has returned
   */
  constructor(
    most: number,
    private readonly flush: (ids: Int32Array) => Promise<void>,
  ) {
    this.#ids = new Int32Array(most)
  }

  /** A promise where ids had to be written before all of these had room. */
  add(ids: Int32Array): Promise<void> | undefined {
    if (this.#length + ids.length > this.#ids.length) return this.#addInParts(ids)
    this.#ids.set(ids, this.#length)
    this.#length += ids.length
    return undefined
  }

  /** Writes what is gathered. */
  async end(): Promise<void> {
    const ids = this.#ids.subarray(0, this.#length)
    this.#length = 0
    if (ids.length > 0) await this.flush(ids)
  }

  async #addInParts(ids: Int32Array): Promise<void> {
    for (let at = 0; at < ids.length; ) {
      if (this.#length === this.#ids.length) await this.end()
      const part = ids.subarray(at, at + this.#ids.length - this.#length)
      this.#ids.set(part, this.#length)
      this.#length += part.length
      at += part.length
    }
  }
}
