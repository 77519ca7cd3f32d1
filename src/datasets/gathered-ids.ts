/** Few ids at a time, gathered for writes of some size; many go as they are. */
export class GatheredIds {
  readonly #ids: Int32Array
  #length = 0

  /**
   * @param most ids that are gathered
   * @param flush writes ids; they may change as soon as its promise has settled
   */
  constructor(
    most: number,
    private readonly flush: (ids: Int32Array) => Promise<void>,
  ) {
    this.#ids = new Int32Array(most)
  }

  /** A promise where ids had to be written before all of these had room. */
  add(ids: Int32Array): Promise<void> | undefined {
    if (this.#length === 0 && 2 * ids.length >= this.#ids.length) return this.flush(ids)
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
