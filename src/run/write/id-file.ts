import { ID_DTYPES, type IdDtypeName } from '../../first-layer/datasets/id-dtypes.js'
import type { AsideFile } from '../aside.js'

/** Ids that are gathered for one write. */
const GATHERED_IDS = 1 << 16

/** Writes ids without a header, little-endian. */
export class IdFile {
  readonly #ids = new GatheredIds(GATHERED_IDS, (ids) => this.#write(ids))
  numTokens = 0

  constructor(
    private readonly file: AsideFile,
    private readonly dtype: IdDtypeName,
  ) {}

  write(ids: Int32Array): Promise<void> | undefined {
    this.numTokens += ids.length
    return this.#ids.add(ids)
  }

  /** Writes the last ids. @returns the file's SHA-256 */
  async close(): Promise<string> {
    await this.#ids.end()
    return this.file.close()
  }

  async #write(ids: Int32Array): Promise<void> {
    const bytes = new Uint8Array(ids.length * ID_DTYPES[this.dtype].bytes)
    ID_DTYPES[this.dtype].write(ids, bytes)
    await this.file.write(bytes)
  }
}

/** Few ids at a time, gathered for writes of some size; many go as they are. */
class GatheredIds {
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
