import * as nodeFs from 'node:fs'
import { join } from 'node:path'
import { LEARNING_FOLDER } from '../../datasets/disk/folders.js'
import { hasEnded, isUploadFolder, uploadFolderName, uploadOwner } from '../../datasets/disk/upload-owner.js'
import type { Replay } from '../journals.js'
import { readCard, type StoredCard, writeCard } from './card-file.js'
import { DiskJournal } from './disk-journal.js'
import { DiskRoom } from './disk-room.js'
import { atOnce, type FileSystem, syncFolder } from './file-system.js'
import { folderName, modelOf, removeFolder } from './folder-files.js'
import { FolderOwner, FolderTaken } from './folder-owner.js'
import { Counted, refusal } from './full-disk.js'
import { type OpenedFolder, openFolder } from './learning-folder.js'
import { type JournalDisk, writeNumbered } from './numbered-files.js'
import type { LearningSync, RecordLog } from './record-log.js'

/** The models that learn, below DATA_DIR: a folder each, which one process writes. */
export class LearningDisk {
  readonly #root: string
  readonly #disk: JournalDisk

  constructor(
    private readonly dataDir: string,
    quota: number,
    sync: LearningSync,
    private readonly fs: FileSystem = nodeFs,
  ) {
    this.#root = join(dataDir, LEARNING_FOLDER)
    this.#disk = { fs, sync, room: new DiskRoom(fs, dataDir, quota) }
  }

  /** Ids of the models that have a folder. */
  models(): readonly string[] {
    return this.#names()
      .filter((name) => !isUploadFolder(name))
      .map(modelOf)
  }

  folder(model: string): string {
    return join(this.#root, folderName(model))
  }

  /** @throws Damage, OtherLayout */
  card(model: string): StoredCard {
    return readCard(this.fs, this.folder(model))
  }

  /** Removes folders that a process did not finish making, or removing. @returns their paths */
  removeAbandoned(): readonly string[] {
    const removed: string[] = []
    for (const name of this.#names().filter(isUploadFolder)) {
      const path = join(this.#root, name)
      if (!hasEnded(uploadOwner(name), this.fs.lstatSync(path).mtimeMs)) continue
      removeFolder(this.fs, path)
      removed.push(path)
    }
    return removed
  }

  /**
   * Begins the log of a model from its first checkpoint.
   *
   * @throws FolderTaken where it has a folder; InletError `insufficient_storage`; nothing of it is there then
   */
  create(model: string, card: StoredCard, checkpoint: Iterable<Uint8Array>): DiskJournal {
    const { fs } = this
    fs.mkdirSync(this.#root, { recursive: true })
    syncFolder(fs, this.dataDir)
    const aside = join(this.#root, uploadFolderName())
    const folder = this.folder(model)
    const counted = new Counted(checkpoint)
    let [place, owner, log]: [string, FolderOwner?, RecordLog?] = [aside]
    fs.mkdirSync(aside)
    try {
      owner = FolderOwner.take(fs, aside)
      writeCard(fs, aside, card)
      log = atOnce(writeNumbered(this.#disk, aside, 0, counted))
      this.#rename(aside, folder)
      place = folder
      owner.moved(folder)
      syncFolder(fs, this.#root)
      return new DiskJournal(this.#disk, folder, owner, 0, log)
    } catch (error) {
      log?.discard()
      owner?.end()
      removeFolder(fs, place)
      throw refusal(error, counted.bytes)
    }
  }

  /**
   * Puts together what a model had learned when its process ended.
   *
   * @throws FolderTaken, Damage, OtherLayout, and what `replay` throws
   */
  open<State>(model: string, replay: Replay<State>): OpenedFolder<State> {
    const folder = this.folder(model)
    const owner = FolderOwner.take(this.fs, folder)
    try {
      return openFolder(this.#disk, folder, owner, replay)
    } catch (error) {
      owner.release()
      throw error
    }
  }

  /** Removes a model's folder. @param journal of the model, where it could be opened */
  remove(model: string, journal?: DiskJournal): void {
    const folder = this.folder(model)
    if (journal === undefined) FolderOwner.take(this.fs, folder).end()
    else journal.discard()
    const aside = join(this.#root, uploadFolderName())
    this.#rename(folder, aside)
    syncFolder(this.fs, this.#root)
    removeFolder(this.fs, aside)
  }

  #names(): readonly string[] {
    try {
      return this.fs.readdirSync(this.#root)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [] // nobody has learned
      throw error
    }
  }

  #rename(from: string, to: string): void {
    try {
      this.fs.renameSync(from, to)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOTEMPTY' || code === 'EEXIST') throw new FolderTaken(to, 'whoever made it')
      throw error
    }
  }
}
