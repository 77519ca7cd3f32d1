import type { ModelVersion } from '../../../service/models/entry.js'
import type { ModelAdmin } from '../../../service/models/keeper/keeper.js'
import type { HeldTables } from '../../../service/models/library/models.js'
import { tableFile } from './table-file.js'

/**
 * ETags of tables, each computed once: `"VERSION-SHA256"`, with the hash of the file that `GET …/tables` sends.
 */
export class TableTags {
  readonly #tags = new WeakMap<ModelVersion, Promise<string>>()

  constructor(private readonly admin: Pick<ModelAdmin, 'digest'>) {}

  /** Reads the tables: the caller must not release them before the promise settles. */
  of({ entry, version }: HeldTables): Promise<string> {
    const known = this.#tags.get(version)
    if (known !== undefined) return known
    const tag = this.#compute(entry, version)
    this.#tags.set(version, tag)
    tag.catch(() => this.#tags.delete(version)) // the next request tries again
    return tag
  }

  async #compute(entry: HeldTables['entry'], version: ModelVersion): Promise<string> {
    const sha256 = await this.admin.digest(version.tables, tableFile(entry, version).header)
    return `"${version.number}-${sha256}"`
  }
}
