import { type FileHandle, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { CorpusCard, DatasetCard } from '../dataset-card.js'
import { diskFull, insufficientStorage, isOutOfDescriptors, noDescriptor } from '../errors.js'
import type { DatasetFile, UploadPlace } from '../upload-place.js'
import type { DiskUsage } from './disk-usage.js'
import { CARD_FILE, FILES, readCard } from './folders.js'
import { OwnedFolder } from './owned-folder.js'

/** By so much a file is made longer ahead of its bytes: each time, the disk's usage is counted. */
const AHEAD_BYTES = 1 << 24
/** Of a small quota no more than this share: other uploads would be refused for bytes that nobody has sent. */
const AHEAD_OF_QUOTA = 1 / 64
/** Beyond this share of the quota nothing is taken ahead: another upload may need it. */
const AHEAD_SHARE = 0.9

interface OpenFile {
  readonly handle: FileHandle
  written: number
  /** The file's length: bytes that the quota counts already. */
  length: number
}

/**
 * An upload in a folder of its own, which becomes the dataset's by being renamed. The length of its files is what it has
 * of the quota, for all processes on the same disk: each file is made longer before it is written, and the usage is
 * counted after that, so that two uploads never pass the quota together.
 */
export class UploadFolder implements UploadPlace {
  readonly #folder: OwnedFolder
  readonly #files = new Map<DatasetFile, OpenFile>()

  constructor(
    private readonly root: string,
    private readonly usage: Pick<DiskUsage, 'bytes'>,
    private readonly quota: number,
  ) {
    this.#folder = new OwnedFolder(root)
  }

  async append(file: DatasetFile, bytes: Uint8Array): Promise<void> {
    try {
      const open = this.#files.get(file) ?? (await this.#open(file))
      const end = open.written + bytes.length
      if (end > open.length) await this.#lengthen(open, end)
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await open.handle.write(bytes, at, bytes.length - at, open.written + at)
        at += bytesWritten
      }
      open.written = end
    } catch (error) {
      throw this.#refusal(error, bytes.length)
    }
  }

  async commit(card: CorpusCard): Promise<{ readonly card: CorpusCard; readonly isNew: boolean }> {
    try {
      for (const file of Object.keys(FILES) as DatasetFile[]) {
        const open = this.#files.get(file) ?? (await this.#open(file))
        await open.handle.truncate(open.written)
        await open.handle.sync()
        await open.handle.close()
      }
      this.#files.clear()
      const { path } = this.#folder
      await writeSynced(join(path, CARD_FILE), JSON.stringify(card))
      await syncFolder(path)
      const isNew = await moveTo(path, this.root, card.id)
      await this.abandon() // nothing is left at its path where it has moved
      if (isNew) return { card, isNew }
      const there = (await readCard(this.root, card.id)) as CorpusCard | undefined
      return { card: there ?? card, isNew }
    } catch (error) {
      throw this.#refusal(error, card.size_bytes)
    }
  }

  async abandon(): Promise<void> {
    for (const { handle } of this.#files.values()) await handle.close().catch(() => {})
    this.#files.clear()
    await this.#folder.remove()
  }

  async #open(file: DatasetFile): Promise<OpenFile> {
    await this.#folder.make()
    const handle = await open(join(this.#folder.path, FILES[file]), 'wx')
    const opened = { handle, written: 0, length: 0 }
    this.#files.set(file, opened)
    return opened
  }

  async #lengthen(open: OpenFile, needed: number): Promise<void> {
    const ahead = open.length + Math.min(AHEAD_BYTES, Math.floor(this.quota * AHEAD_OF_QUOTA))
    if (ahead > needed) {
      await open.handle.truncate(ahead)
      if ((await this.usage.bytes()) <= this.quota * AHEAD_SHARE) {
        open.length = ahead
        return
      }
    }
    await open.handle.truncate(needed)
    const more = needed - open.length
    const used = await this.usage.bytes()
    if (used > this.quota)
      throw insufficientStorage('DATA_QUOTA_BYTES', used - more, this.quota, this.#written + more)
    open.length = needed
  }

  /** Bytes of this upload so far. */
  get #written(): number {
    return [...this.#files.values()].reduce((sum, { written }) => sum + written, 0)
  }

  #refusal(error: unknown, more: number): unknown {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(this.#written + more)
    return isOutOfDescriptors(error) ? noDescriptor() : error
  }
}

/** Writes a file that has no bytes of the uploads: a card. */
export async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx')
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Renames a folder to a dataset's. @returns false where that is there already */
export async function moveTo(path: string, root: string, id: DatasetCard['id']): Promise<boolean> {
  try {
    await rename(path, join(root, id))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
  await syncFolder(root)
  return true
}

/** Makes what a folder holds, its names, last through a loss of power. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
