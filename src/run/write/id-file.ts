import { GatheredIds } from '../../datasets/gathered-ids.js'
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
