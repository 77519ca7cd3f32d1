import { randomBytes } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type CorpusCard,
  type DatasetCard,
  isMixture,
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
  isAside,
  isMissing,
  makeFolder,
  namesIn,
  onDisk,
  removeAbandoned,
  writeSynced,
  writeWhole,
} from '../../../files/aside.js'
import { hasEnded, processName } from '../../../files/process-name.js'
import { insufficientStorage, type QuotaVariable, storageRefusal } from '../../../files/quota.js'
import { InletError } from '../../../first-layer/errors.js'
import { sharedFloat64Array } from '../../../first-layer/memory.js'
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

/** Starts of documents that are read at a time: their conversion takes a millisecond. */
const STARTS_AT_ONCE = 1 << 15
/** Cards that are read at the same time: each takes a file descriptor. */
const CARDS_AT_ONCE = 16
/** A folder's time tells of a change only if the change is older: clocks of disks are coarse. */
const CLOCK_MS = 50
/** How often an upload has all else in DATA_DIR counted: checkpoints, what other processes write. */
const LOOK_MS = 10_000

export interface DiskEvents {
  /** An upload that a process left unfinished has been removed. */
  removed(path: string): void
  /** A folder cannot be read, and is left alone. */
  refused(error: OtherLayout): void
}

/** What is known of a dataset without its card. */
interface Known {
  readonly id: string
  readonly created: number
  /** Bytes that it takes of the disk. */
  readonly bytes: number
}

/**
 * Datasets as plain files: a folder each. Every process on the same DATA_DIR sees the same: a change of the folder's time
 * lets this one look for what has come and gone there. Uploads of this process are counted before they are written, so
 * together they stay within the quota; those of other processes are when they are finished, or after a look.
 */
export class DiskStorage {
  readonly #known = new Map<string, Known>()
  #sorted: readonly Known[] | undefined
  /** Bytes of the disk: of known datasets, and of all else but uploads of this process. */
  #bytes = 0
  #otherBytes = 0
  /** What uploads of this process have been granted, by their folders' names. */
  readonly #granted = new Map<string, number>()
  /** The folder's time at the last look. */
  #time = Number.NaN
  #lookedMs = Number.NEGATIVE_INFINITY
  /** Looks, and changes of cards, one after the other. */
  readonly #works = new WorkQueue()

  constructor(
    protected readonly folder: DataFolder,
    private readonly events: DiskEvents,
  ) {}

  /** For a folder that stays: makes it if there is none, removes what processes have left unfinished there, and reads all cards once. */
  async prepare(): Promise<void> {
    await makeFolder(this.folder.root)
    await removeAbandoned(this.folder.root, (path) => this.events.removed(path))
    await this.#look()
  }

  /** The card of a dataset; undefined: there is none. */
  async card(id: string): Promise<DatasetCard | undefined> {
    if (!isDatasetId(id)) return undefined
    try {
      return await readCard(this.folder.root, id)
    } catch (error) {
      if (!(error instanceof OtherLayout)) throw error
      if (!this.#known.has(id)) this.events.refused(error)
      return undefined
    }
  }

  /** Cards, newest first, so many behind the dataset `after`. @throws InletError `dataset_not_found` */
  async page(limit: number, after?: string): Promise<{ cards: readonly DatasetCard[]; hasMore: boolean }> {
    await this.#look()
    this.#sorted ??= [...this.#known.values()]
      .filter(({ created }) => created >= 0)
      .sort((a, b) => b.created - a.created || (a.id < b.id ? -1 : 1))
    const from = after === undefined ? 0 : this.#sorted.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && from === 0) throw datasetNotFound(after, '', 'after')
    const cards = await this.#cards(this.#sorted.slice(from, from + limit).map(({ id }) => id))
    return { cards: cards.filter((card) => card !== undefined), hasMore: from + limit < this.#sorted.length }
  }

  pathOf({ id }: CorpusCard, file: DatasetFile): string {
    return join(this.folder.root, id, FILES[file])
  }

  /** The starts of a corpus's documents, and the end of the last one, in shared memory. @throws Error of the file system */
  protected async starts({ id, num_documents }: CorpusCard): Promise<Float64Array> {
    const starts = sharedFloat64Array(num_documents + 1)
    const handle = await open(join(this.folder.root, id, FILES.documents))
    try {
      for (let first = 0; first < starts.length; first += STARTS_AT_ONCE) {
        const part = new BigUint64Array(Math.min(STARTS_AT_ONCE, starts.length - first))
        const { bytesRead } = await handle.read(part, 0, part.byteLength, 8 * first)
        if (bytesRead < part.byteLength)
          throw new Error(`${id}/${FILES.documents} is shorter than its card says.`)
        for (let i = 0; i < part.length; i++) starts[first + i] = Number(part[i])
      }
      return starts
    } finally {
      await handle.close()
    }
  }

  /** Counts an upload, or more of it. @param bytes of the disk in all @throws InletError `insufficient_storage` */
  async grant(name: string, bytes: number): Promise<void> {
    if (performance.now() - this.#lookedMs > LOOK_MS) await this.#look()
    const { most, variable } = this.folder
    const open = [...this.#granted.values()].reduce((sum, granted) => sum + granted, 0)
    const used = this.#bytes + this.#otherBytes + open - (this.#granted.get(name) ?? 0)
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
        const moved = async () => (await folder.moveTo(card.id)) && this.#know(card)
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
      await rename(join(this.folder.root, id), path).catch(zeroIfMissing)
      await rm(path, { recursive: true, force: true })
      this.#forget(id)
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

  /** Looks for datasets that other processes have made or deleted, and now and then for all else. */
  #look(): Promise<void> {
    return this.#works.run(async () => {
      const { root } = this.folder
      const { mtimeMs } = await stat(root).catch(zeroIfMissing)
      if (performance.now() - this.#lookedMs > LOOK_MS) {
        this.#otherBytes = await this.#bytesOfOthers()
        this.#lookedMs = performance.now()
      }
      if (mtimeMs === this.#time) return
      const names = new Set((await namesIn(root)).filter(isDatasetId))
      for (const id of this.#known.keys()) if (!names.has(id)) this.#forget(id)
      const added = [...names].filter((id) => !this.#known.has(id))
      for (const [i, card] of (await this.#cards(added)).entries()) {
        const id = added[i]
        this.#know(card ?? { id, created: -1, bytes: await bytesBelow(join(root, id)) })
      }
      this.#time = Date.now() - mtimeMs > CLOCK_MS ? mtimeMs : Number.NaN
    })
  }

  /** Bytes of DATA_DIR beside datasets: checkpoints, and uploads of other processes. */
  async #bytesOfOthers(): Promise<number> {
    const { root, stored } = this.folder
    const asides = (await namesIn(root)).filter((name) => isAside(name) && !this.#granted.has(name))
    const beside = stored === 'memory' ? [] : (await namesIn(dirname(root))).filter((name) => name !== FOLDER)
    const paths = [
      ...asides.map((name) => join(root, name)),
      ...beside.map((name) => join(dirname(root), name)),
    ]
    let sum = 0
    for (const path of paths) sum += await bytesBelow(path)
    return sum
  }

  async #cards(ids: readonly string[]): Promise<readonly (DatasetCard | undefined)[]> {
    const cards: (DatasetCard | undefined)[] = []
    for (let at = 0; at < ids.length; at += CARDS_AT_ONCE)
      cards.push(...(await Promise.all(ids.slice(at, at + CARDS_AT_ONCE).map((id) => this.card(id)))))
    return cards
  }

  #know(dataset: DatasetCard | Known): true {
    const { id, created } = dataset
    const known = 'bytes' in dataset ? dataset : { id, created, bytes: bytesOfCard(dataset) }
    this.#forget(id)
    this.#known.set(id, known)
    this.#bytes += known.bytes
    return true
  }

  #forget(id: string): void {
    this.#bytes -= this.#known.get(id)?.bytes ?? 0
    this.#known.delete(id)
    this.#sorted = undefined
  }
}

/** Bytes that a dataset takes of the disk: its files, and its folder. */
function bytesOfCard(card: DatasetCard): number {
  const own = BLOCK_BYTES + onDisk(JSON.stringify(card).length)
  if (isMixture(card)) return own
  const starts = 8 * (card.num_documents + 1)
  return own + onDisk(starts) + onDisk(card.size_bytes - starts)
}

function forbidden(): InletError {
  const message = '`Authorization` must bring an admin key, or a key that uploaded the dataset.'
  return new InletError('forbidden', message, 'authorization')
}

function zeroIfMissing(error: unknown): { readonly mtimeMs: number } {
  if (isMissing(error)) return { mtimeMs: 0 }
  throw error
}
