import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type DatasetCard, isMixture, type MixtureCard } from '../dataset-card.js'
import type { BesideFile, Storage, StoredCorpus } from '../storage.js'
import { BesideFiles } from './beside-files.js'
import type { DiskUsage } from './disk-usage.js'
import {
  CARD_FILE,
  FILES,
  FOLDER,
  isDatasetId,
  isMissing,
  LEARNING_FOLDER,
  OtherLayout,
  readCard,
} from './folders.js'
import { removeAbandoned } from './owned-folder.js'
import { readAt } from './read-at.js'
import { moveTo, writeSynced } from './upload-folder.js'
import { uploadFolderName } from './upload-owner.js'

/** Cards that are read at the same time: each takes a file descriptor. */
const CARDS_AT_ONCE = 16

/** Told of what is found on the disk. */
export interface DiskEvents {
  /** An upload that a process left unfinished has been removed. */
  removed(path: string): void
  /** A folder cannot be read, and is left alone. */
  refused(error: OtherLayout): void
}

/** The folder of datasets below DATA_DIR. */
export function datasetsFolder(dataDir: string): string {
  return join(dataDir, FOLDER)
}

/** The folder of models that learn, below DATA_DIR. */
export function learningFolder(dataDir: string): string {
  return join(dataDir, LEARNING_FOLDER)
}

/**
 * Datasets as plain files: a folder each. Every process on the same DATA_DIR sees the same; nothing is known of it beside
 * what the disk has.
 */
export class DiskStorage implements Storage {
  readonly stored = 'disk'
  readonly #refused = new Set<string>()
  readonly #beside: BesideFiles

  private constructor(
    private readonly root: string,
    usage: DiskUsage,
    quota: number,
    private readonly events: DiskEvents,
  ) {
    this.#beside = new BesideFiles(usage, quota)
  }

  /** Opens the folder, makes it if there is none, and removes what processes have left unfinished there. */
  static async open(root: string, usage: DiskUsage, quota: number, events: DiskEvents): Promise<DiskStorage> {
    await mkdir(root, { recursive: true })
    const storage = new DiskStorage(root, usage, quota, events)
    await removeAbandoned(root, (path) => events.removed(path))
    await storage.cards()
    return storage
  }

  async card(id: string): Promise<DatasetCard | undefined> {
    if (!isDatasetId(id)) return undefined
    try {
      return await readCard(this.root, id)
    } catch (error) {
      if (!(error instanceof OtherLayout)) throw error
      if (!this.#refused.has(id)) this.events.refused(error)
      this.#refused.add(id)
      return undefined
    }
  }

  async cards(): Promise<readonly DatasetCard[]> {
    const names = (await readdir(this.root)).filter(isDatasetId)
    const cards: DatasetCard[] = []
    for (let first = 0; first < names.length; first += CARDS_AT_ONCE) {
      const some = names.slice(first, first + CARDS_AT_ONCE)
      const read = await Promise.all(some.map((id) => this.card(id)))
      cards.push(...read.filter((card) => card !== undefined))
    }
    return cards
  }

  async corpus(id: string): Promise<StoredCorpus | undefined> {
    const card = await this.card(id)
    if (card === undefined || isMixture(card)) return undefined
    const folder = join(this.root, id)
    return {
      tokens: { path: join(folder, FILES.tokens) },
      async readStarts(out, first) {
        const handle = await open(join(folder, FILES.documents))
        try {
          await readAt(handle, new Uint8Array(out.buffer, out.byteOffset, out.byteLength), 8 * first)
        } finally {
          await handle.close()
        }
      },
    }
  }

  async putMixture(card: MixtureCard): Promise<boolean> {
    const path = join(this.root, uploadFolderName())
    await mkdir(path)
    try {
      await writeSynced(join(path, CARD_FILE), JSON.stringify(card))
      return await moveTo(path, this.root, card.id)
    } finally {
      await rm(path, { recursive: true, force: true })
    }
  }

  /** Takes the folder out of sight at once, then removes it: no reader finds half a dataset. */
  async remove(id: string): Promise<boolean> {
    if (!isDatasetId(id)) return false
    const path = join(this.root, uploadFolderName())
    try {
      await rename(join(this.root, id), path)
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
    await rm(path, { recursive: true, force: true })
    return true
  }

  openBeside(id: string, name: string): Promise<BesideFile | undefined> {
    return this.#beside.open(join(this.root, id), name)
  }

  writeBeside(id: string, name: string, parts: readonly Uint8Array[]): Promise<void> {
    return this.#beside.write(join(this.root, id), name, parts)
  }
}
