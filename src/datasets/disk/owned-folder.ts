import { mkdir, readdir, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from './folders.js'
import {
  HEARTBEAT_MS,
  isAbandoned,
  isUploadFolder,
  processName,
  uploadFolderName,
  uploadOwner,
} from './upload-owner.js'

/** A folder beside finished ones in which this process works; its name tells the owner, its time that the owner lives. */
export class OwnedFolder {
  readonly path: string
  #heartbeat: NodeJS.Timeout | undefined

  constructor(root: string) {
    this.path = join(root, uploadFolderName())
  }

  /** Makes the folder at the first call. */
  async make(): Promise<void> {
    if (this.#heartbeat !== undefined) return
    const beat = () => void utimes(this.path, new Date(), new Date()).catch(() => {})
    this.#heartbeat = setInterval(beat, HEARTBEAT_MS).unref()
    await mkdir(this.path)
  }

  /** Removes what is still there under its name. */
  async remove(): Promise<void> {
    clearInterval(this.#heartbeat)
    await rm(this.path, { recursive: true, force: true })
  }
}

/** Removes the folders of processes that have ended. @param removed told of each */
export async function removeAbandoned(root: string, removed: (path: string) => void): Promise<void> {
  for (const name of (await readdir(root)).filter(isUploadFolder)) {
    const path = join(root, name)
    const aside = join(root, uploadFolderName())
    try {
      if (!(await isAbandoned(name, path))) continue
      await rename(path, aside) // if its owner lives after all, it finds nothing, never a part
    } catch (error) {
      if (isMissing(error)) continue
      throw error
    }
    await rm(aside, { recursive: true, force: true })
    removed(path)
  }
}

/** Removes all folders of this process, whose threads have ended in the midst of their work. */
export async function removeOwn(root: string): Promise<void> {
  for (const name of await readdir(root))
    if (uploadOwner(name) === processName()) await rm(join(root, name), { recursive: true, force: true })
}
