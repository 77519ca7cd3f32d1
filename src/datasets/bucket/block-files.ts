import { createHash, randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes of a block: a window read at random costs so many, and a request to a storage brings them as fast as a few. */
export const BLOCK_BYTES = 1 << 18

/** Files of a folder: the oldest makes room for the next one. */
const WAYS = 8

/**
 * Blocks of objects as files, in folders of a few: a block has one folder where it may be, and makes room there alone. So
 * the bound holds without a count that threads and processes would have to share, and blocks of one object fill all folders
 * evenly.
 */
export class BlockFiles {
  readonly #numFolders: number

  /**
   * @param folder made where it is not there. Nobody else may write there: blocks are taken as they are
   * @param maxBytes of all its files
   * @throws Error of the file system
   */
  constructor(
    private readonly folder: string,
    maxBytes: number,
  ) {
    this.#numFolders = Math.max(1, Math.floor(maxBytes / (BLOCK_BYTES * WAYS)))
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    const own = process.getuid?.()
    if (own !== undefined && (uid !== own || (mode & 0o022) !== 0))
      throw new Error(`${folder} must be writable by the service’s user alone`)
  }

  /** Removes what a larger cache has left. */
  async removeBeyond(): Promise<void> {
    for (const name of await readdir(this.folder))
      if (!(Number.parseInt(name, 16) < this.#numFolders))
        await rm(join(this.folder, name), { recursive: true, force: true })
  }

  /** Where a block is, or would be. @param object a name made of hexadecimal digits */
  path(object: string, block: number): string {
    const first = Number.parseInt(object.slice(0, 8), 16)
    const place = (first + block) % this.#numFolders
    return join(this.folder, place.toString(16), `${object}-${block}`)
  }

  /** Keeps a block. It has its name when its bytes are on the disk: what a loss of power leaves has none. */
  async keep(path: string, bytes: Uint8Array): Promise<void> {
    const folder = join(path, '..')
    await mkdir(folder, { recursive: true })
    await makeRoom(folder)
    const aside = join(folder, `.${randomBytes(8).toString('hex')}`)
    try {
      const handle = await open(aside, 'wx', 0o600)
      try {
        await handle.writeFile(bytes)
        await handle.datasync()
      } finally {
        await handle.close()
      }
      await rename(aside, path)
    } catch (error) {
      await rm(aside, { force: true }).catch(() => {})
      throw error
    }
  }
}

/** A name for all blocks of one object: of what tells it from all others. */
export function blocksName(...facts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)
}

/** Removes a folder's oldest files until one more fits. */
async function makeRoom(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length < WAYS) return
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const facts = await stat(path).catch(() => undefined) // another thread has removed it
      return { path, changed: facts?.mtimeMs ?? 0 }
    }),
  )
  files.sort((a, b) => a.changed - b.changed)
  for (const { path } of files.slice(0, files.length - WAYS + 1)) await rm(path, { force: true })
}
