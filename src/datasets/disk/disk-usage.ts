import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from './folders.js'
import { isUploadFolder } from './upload-owner.js'

/**
 * Bytes of all files below a folder of datasets, those of unfinished uploads by any process among them, and below that of
 * learning. A dataset's files change only together with its folder, so that a folder is looked into once.
 */
export class DiskUsage {
  readonly #known = new Map<string, { readonly changed: number; readonly bytes: number }>()

  /** @param learning the folder of models that learn */
  constructor(
    private readonly root: string,
    private readonly learning?: string,
  ) {}

  async bytes(): Promise<number> {
    const names = await readdir(this.root)
    for (const name of this.#known.keys()) if (!names.includes(name)) this.#known.delete(name)
    let sum = 0
    for (const name of names) sum += await this.#bytesOf(name)
    return sum + (this.learning === undefined ? 0 : await bytesOfFolders(this.learning))
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

/** Bytes of the files in the folders of a folder. */
async function bytesOfFolders(root: string): Promise<number> {
  let sum = 0
  try {
    for (const name of await readdir(root)) sum += await bytesIn(join(root, name))
  } catch (error) {
    if (!isMissing(error)) throw error // none is there, or one changes just now: its bytes are not all counted
  }
  return sum
}

async function bytesIn(folder: string): Promise<number> {
  let sum = 0
  for (const name of await readdir(folder)) sum += (await lstat(join(folder, name))).size
  return sum
}
