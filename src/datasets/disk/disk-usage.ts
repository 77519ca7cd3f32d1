import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from './folders.js'
import { isUploadFolder } from './upload-owner.js'

/**
 * Bytes of all files below a folder of datasets, those of unfinished uploads by any process among them. A dataset's
 * files change only together with its folder, so that a folder is looked into once.
 */
export class DiskUsage {
  readonly #known = new Map<string, { readonly changed: number; readonly bytes: number }>()

  constructor(private readonly root: string) {}

  async bytes(): Promise<number> {
    const names = await readdir(this.root)
    for (const name of this.#known.keys()) if (!names.includes(name)) this.#known.delete(name)
    let sum = 0
    for (const name of names) sum += await this.#bytesOf(name)
    return sum
  }

  async #bytesOf(name: string): Promise<number> {
    const path = join(this.root, name)
    try {
      if (isUploadFolder(name)) return await bytesIn(path)
      const { mtimeMs: changed } = await stat(path)
      const known = this.#known.get(name)
      if (known?.changed === changed) return known.bytes
      const bytes = await bytesIn(path)
      this.#known.set(name, { changed, bytes })
      return bytes
    } catch (error) {
      if (isMissing(error)) return 0 // it has been deleted, or renamed, meanwhile
      throw error
    }
  }
}

async function bytesIn(folder: string): Promise<number> {
  let sum = 0
  for (const name of await readdir(folder)) sum += (await stat(join(folder, name))).size
  return sum
}
