import { ID_DTYPES, type IdDtypeName } from '../../first-layer/datasets/id-dtypes.js'
import type { AsideFile } from '../aside.js'

/** Ids that are gathered for one write. */
const GATHERED_IDS = 1 << 16

/** Writes ids without a header, little-endian. */
export class IdFile {
  readonly #gathered = new Int32Array(GATHERED_IDS)
  #length = 0
  numTokens = 0

  constructor(
    private readonly file: AsideFile,
    private readonly dtype: IdDtypeName,
  ) {}

  write(ids: Int32Array): Promise<void> | undefined {
    if (this.#length + ids.length > GATHERED_IDS) return this.#writeInParts(ids)
    this.#gather(ids)
    return undefined
  }

  /** Writes the last ids. @returns the file's SHA-256 */
  async close(): Promise<string> {
    await this.#flush()
    return this.file.close()
  }

  #gather(ids: Int32Array): void {
    this.#gathered.set(ids, this.#length)
    this.#length += ids.length
    this.numTokens += ids.length
  }

  async #writeInParts(ids: Int32Array): Promise<void> {
    for (let at = 0; at < ids.length; ) {
      if (this.#length === GATHERED_IDS) await this.#flush()
      const part = ids.subarray(at, at + GATHERED_IDS - this.#length)
      this.#gather(part)
      at += part.length
    }
  }

  async #flush(): Promise<void> {
    const bytes = new Uint8Array(this.#length * ID_DTYPES[this.dtype].bytes)
    ID_DTYPES[this.dtype].write(this.#gathered.subarray(0, this.#length), bytes)
    this.#length = 0
    await this.file.write(bytes)
  }
}
