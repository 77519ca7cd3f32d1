import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { AsideFolder, writeSynced } from '../../files/aside.js'
import { type Quota, storageRefusal } from '../../files/quota.js'
import type { CorpusCard } from './dataset-card.js'
import { isOutOfDescriptors, noDescriptor } from './errors.js'
import { CARD_FILE, type DatasetFile, FILES, readCard } from './folders.js'

/** Bytes after which the quota is looked at again: two uploads pass it together by so many at most. */
const LOOK_BYTES = 1 << 24

interface OpenFile {
  readonly handle: FileHandle
  written: number
}

/** An upload in a folder of its own, which becomes the dataset's by being renamed: readers see all of it, or nothing. */
export class UploadFolder {
  readonly #folder: AsideFolder
  readonly #files = new Map<DatasetFile, OpenFile>()
  #written = 0
  #lookAt = 0

  /** @param root the folder of datasets @param quota absent: the disk's end is an error by itself */
  constructor(
    private readonly root: string,
    private readonly quota?: Quota,
  ) {
    this.#folder = new AsideFolder(root)
  }

  /**
   * Appends bytes to a file; they are read no more once this settles.
   *
   * @throws InletError `insufficient_storage`
   */
  async append(file: DatasetFile, bytes: Uint8Array): Promise<void> {
    try {
      const open = this.#files.get(file) ?? (await this.#open(file))
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await open.handle.write(bytes, at, bytes.length - at, open.written)
        open.written += bytesWritten
        at += bytesWritten
      }
      this.#written += bytes.length
      if (this.#written < this.#lookAt + LOOK_BYTES) return
      this.#lookAt = this.#written
      await this.quota?.check(this.#written)
    } catch (error) {
      throw this.#refusal(error, bytes.length)
    }
  }

  /**
   * Makes the upload a dataset, all at once.
   *
   * @returns the card of what is there: that of an earlier upload, where it had the same content
   */
  async commit(card: CorpusCard): Promise<{ readonly card: CorpusCard; readonly isNew: boolean }> {
    try {
      await this.quota?.check(this.#written)
      for (const file of Object.keys(FILES) as DatasetFile[]) {
        const { handle } = this.#files.get(file) ?? (await this.#open(file))
        await handle.sync()
        await handle.close()
      }
      this.#files.clear()
      await writeSynced(join(this.#folder.path, CARD_FILE), [Buffer.from(JSON.stringify(card))])
      const isNew = await this.#folder.moveTo(card.id)
      await this.#folder.remove() // nothing is left at its path where it has moved
      if (isNew) return { card, isNew }
      const there = (await readCard(this.root, card.id)) as CorpusCard | undefined
      return { card: there ?? card, isNew }
    } catch (error) {
      throw this.#refusal(error, 0)
    }
  }

  /** Removes what was written. */
  async abandon(): Promise<void> {
    for (const { handle } of this.#files.values()) await handle.close().catch(() => {})
    this.#files.clear()
    await this.#folder.remove()
  }

  async #open(file: DatasetFile): Promise<OpenFile> {
    await this.#folder.make()
    const opened = { handle: await open(join(this.#folder.path, FILES[file]), 'wx'), written: 0 }
    this.#files.set(file, opened)
    return opened
  }

  #refusal(error: unknown, more: number): unknown {
    return isOutOfDescriptors(error) ? noDescriptor() : storageRefusal(error, this.#written + more)
  }
}
