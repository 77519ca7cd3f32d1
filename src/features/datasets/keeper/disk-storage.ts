import { randomBytes } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Logger } from 'pino'
import {
  type CorpusCard,
  type DatasetCard,
  type MixtureCard,
  ownersOf,
  type Stored,
} from '../../../corpus/dataset-card.js'
import {
  CARD_FILE,
  type DatasetFile,
  FILES,
  FOLDER,
  isDatasetId,
  OtherLayout,
  readCard,
} from '../../../corpus/folders.js'
import {
  AsideFolder,
  asideName,
  BLOCK_BYTES,
  bytesBelow,
  makeFolder,
  namesIn,
  onDisk,
  removeAbandoned,
  undefinedIfMissing,
  writeSynced,
  writeWhole,
} from '../../../files/aside.js'
import { hasEnded, processName } from '../../../files/process-name.js'
import { insufficientStorage, type QuotaVariable, storageRefusal } from '../../../files/quota.js'
import { InletError } from '../../../first-layer/errors.js'
import { WorkQueue } from '../../../first-layer/running/wait.js'
import type { Config } from '../../../service/process/config.js'
import { datasetNotFound } from '../errors.js'

/** The beginning of names of folders of processes without DATA_DIR. */
const TEMPORARY = 'inlet-datasets-'

/** The place of a process's datasets, as all its threads know it. */
export interface DataFolder {
  readonly root: string
  readonly stored: Stored
  /** Most bytes that it may take of the disk, with checkpoints if they are beside it, and the variable that says so. */
  readonly most: number
  readonly variable: QuotaVariable
}

export interface Committed<Card> {
  readonly card: Card
  readonly isNew: boolean
}

/** The folder below DATA_DIR, or a new name in the system's folder of temporary files: the first upload makes that one. */
export function dataFolder({ DATA_DIR, DATA_QUOTA_BYTES, MAX_DATASET_MEMORY_BYTES }: Config): DataFolder {
  if (DATA_DIR !== undefined)
    return {
      root: join(DATA_DIR, FOLDER),
      stored: 'disk',
      most: DATA_QUOTA_BYTES,
      variable: 'DATA_QUOTA_BYTES',
    }
  const root = join(tmpdir(), `${TEMPORARY}${processName()}-${randomBytes(6).toString('hex')}`)
  const variable = 'MAX_DATASET_MEMORY_BYTES'
  return { root, stored: 'memory', most: MAX_DATASET_MEMORY_BYTES, variable }
}

/** Removes temporary folders of processes of this machine that were killed. */
export async function removeTemporary(): Promise<void> {
  for (const name of (await namesIn(tmpdir())).filter((each) => each.startsWith(TEMPORARY))) {
    const owner = name.slice(TEMPORARY.length, name.lastIndexOf('-'))
    if (hasEnded(owner, Number.POSITIVE_INFINITY))
      await rm(join(tmpdir(), name), { recursive: true }).catch(() => {}) // another user's
  }
}

/** Cards that are read at the same time: each takes a file descriptor. */
const CARDS_AT_ONCE = 16
/** How often an upload has all of DATA_DIR counted: checkpoints too, and what other processes write. */
const LOOK_MS = 10_000

/**
 * Datasets as plain files: a folder each. Every process on the same DATA_DIR sees the same. Uploads of this process are
 * counted before they are written, so together they stay within the quota; those of other processes are at the next count.
 */
export class DiskStorage {
  /** When each dataset was made whose card was read; −1: it cannot be. */
  readonly #created = new Map<string, number>()
  /** Bytes of the disk, without uploads of this process. */
  #bytes = 0
  #countedMs = Number.NEGATIVE_INFINITY
  /** What uploads of this process have been granted, by their folders' names. */
  readonly #granted = new Map<string, number>()
  /** Counts, and changes of cards, one after the other. */
  readonly #works = new WorkQueue()

  constructor(
    protected readonly folder: DataFolder,
    private readonly log: Pick<Logger, 'warn' | 'error'>,
  ) {}

  /** For a folder that stays: makes it if there is none, removes what processes have left unfinished there, and reads all cards once. */
  async prepare(): Promise<void> {
    await makeFolder(this.folder.root)
    await removeAbandoned(this.folder.root, (path) =>
      this.log.warn({ path }, 'an unfinished upload has been removed'),
    )
    await this.page(1)
  }

  /** The card of a dataset; undefined: there is none. */
  async card(id: string): Promise<DatasetCard | undefined> {
    if (!isDatasetId(id)) return undefined
    try {
      const card = await readCard(this.folder.root, id)
      if (card !== undefined) this.#created.set(id, card.created)
      return card
    } catch (error) {
      if (!(error instanceof OtherLayout)) throw error
      const { path, layout } = error
      if (!this.#created.has(id))
        this.log.error({ path, layout }, 'a dataset of another version of the service is not served')
      this.#created.set(id, -1)
      return undefined
    }
  }

  /** Cards, newest first, so many behind the dataset `after`. @throws InletError `dataset_not_found` */
  async page(limit: number, after?: string): Promise<{ cards: readonly DatasetCard[]; hasMore: boolean }> {
    const ids = (await namesIn(this.folder.root)).filter(isDatasetId)
    await this.#cards(ids.filter((id) => !this.#created.has(id)))
    const created = (id: string) => this.#created.get(id) ?? -1
    const sorted = ids
      .filter((id) => created(id) >= 0)
      .sort((a, b) => created(b) - created(a) || (a < b ? -1 : 1))
    const from = after === undefined ? 0 : sorted.indexOf(after) + 1
    if (after !== undefined && from === 0) throw datasetNotFound(after, '', 'after')
    const cards = await this.#cards(sorted.slice(from, from + limit))
    return { cards: cards.filter((card) => card !== undefined), hasMore: from + limit < sorted.length }
  }

  pathOf({ id }: CorpusCard, file: DatasetFile): string {
    return join(this.folder.root, id, FILES[file])
  }

  /** Counts an upload, or more of it. @param bytes of the disk in all @throws InletError `insufficient_storage` */
  async grant(name: string, bytes: number): Promise<void> {
    if (performance.now() - this.#countedMs > LOOK_MS) await this.#works.run(() => this.#count())
    const { most, variable } = this.folder
    const open = [...this.#granted.values()].reduce((sum, granted) => sum + granted, 0)
    const used = this.#bytes + open - (this.#granted.get(name) ?? 0)
    if (used + bytes > most) throw insufficientStorage(used, most, bytes, variable)
    this.#granted.set(name, bytes)
  }

  async release(name: string): Promise<void> {
    this.#granted.delete(name)
  }

  async putMixture(card: MixtureCard): Promise<Committed<MixtureCard>> {
    const name = asideName()
    const text = JSON.stringify(card)
    const folder = new AsideFolder(this.folder.root, name)
    try {
      await this.grant(name, onDisk(text.length) + BLOCK_BYTES)
      await folder.make()
      await writeSynced(join(folder.path, CARD_FILE), [Buffer.from(text)])
      return await this.commit(name, card)
    } catch (error) {
      throw storageRefusal(error, 0)
    } finally {
      await folder.remove()
      await this.release(name)
    }
  }

  /**
   * Makes what stands in a folder aside a dataset. If its content is there already, that one has another owner.
   * @returns the card that is there
   */
  commit<Card extends DatasetCard>(name: string, card: Card): Promise<Committed<Card>> {
    return this.#works.run(async () => {
      const folder = new AsideFolder(this.folder.root, name)
      try {
        const moved = async () => {
          const isNew = await folder.moveTo(card.id)
          if (isNew) this.#bytes += await bytesWith(join(this.folder.root, card.id))
          return isNew
        }
        if (await moved()) return { card, isNew: true }
        const there = await this.card(card.id)
        if (there === undefined) return { card, isNew: await moved() } // deleted since
        const owners = new Set([...ownersOf(there), card.owner])
        return { card: (await this.#own(there, [...owners])) as Card, isNew: false }
      } catch (error) {
        throw storageRefusal(error, 0)
      }
    })
  }

  /**
   * Deletes a dataset: out of sight at once, then from the disk, so that no reader finds half of it. Of one that others
   * have uploaded too only a caller's part goes.
   *
   * @param caller absent: one who may delete every dataset
   * @returns whether it is gone
   * @throws InletError `forbidden`
   */
  remove(id: string, caller?: string): Promise<boolean> {
    return this.#works.run(async () => {
      const card = await this.card(id)
      const owners = card === undefined ? [] : ownersOf(card)
      const others = owners.filter((owner) => caller !== undefined && owner !== caller)
      if (caller !== undefined && card !== undefined && others.length === owners.length) throw forbidden()
      if (others.length > 0) {
        await this.#own(card!, others)
        return false
      }
      const path = join(this.folder.root, asideName())
      await rename(join(this.folder.root, id), path).catch(undefinedIfMissing)
      this.#bytes -= await bytesWith(path)
      await rm(path, { recursive: true, force: true })
      this.#created.delete(id)
      return true
    })
  }

  /** Writes who owns a dataset. */
  async #own(card: DatasetCard, owners: readonly (string | null)[]): Promise<DatasetCard> {
    if (owners.length === ownersOf(card).length) return card
    const next = { ...card, owner: owners[0], owners }
    await writeWhole(join(this.folder.root, card.id, CARD_FILE), [Buffer.from(JSON.stringify(next))])
    return next
  }

  async #count(): Promise<void> {
    const { root, stored } = this.folder
    if (performance.now() - this.#countedMs <= LOOK_MS) return // another one has
    this.#bytes = await bytesBelow(stored === 'disk' ? dirname(root) : root, (name) =>
      this.#granted.has(name),
    )
    this.#countedMs = performance.now()
  }

  #cards(ids: readonly string[]): Promise<readonly (DatasetCard | undefined)[]> {
    const reads = new WorkQueue(CARDS_AT_ONCE)
    return Promise.all(ids.map((id) => reads.run(() => this.card(id))))
  }
}

/** Bytes that a folder takes of the disk; none where it is not there. */
async function bytesWith(folder: string): Promise<number> {
  const bytes = await bytesBelow(folder)
  return bytes === 0 ? 0 : BLOCK_BYTES + bytes
}

function forbidden(): InletError {
  const message = '`Authorization` must bring an admin key, or a key that uploaded the dataset.'
  return new InletError('forbidden', message, 'authorization')
}
