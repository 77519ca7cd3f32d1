import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AsideFolder,
  asideName,
  isMissing,
  makeFolder,
  namesIn,
  removeAbandoned,
  writeSynced,
} from '../../../files/aside.js'
import { hasEnded, processName } from '../../../files/process-name.js'
import { type Quota, storageRefusal } from '../../../files/quota.js'
import type { CorpusCard, DatasetCard, MixtureCard, Stored } from '../../../service/corpus/dataset-card.js'
import {
  CARD_FILE,
  FILES,
  FOLDER,
  isDatasetId,
  OtherLayout,
  readCard,
} from '../../../service/corpus/folders.js'
import type { Config } from '../../../service/process/config.js'

/** The beginning of names of folders of processes without DATA_DIR. */
const TEMPORARY = 'inlet-datasets-'

/** The place of a process's datasets, as all its threads know it. */
export interface DataFolder {
  readonly root: string
  readonly stored: Stored
  readonly quota: ConstructorParameters<typeof Quota>
}

/** The folder below DATA_DIR, or a new name in the system's folder of temporary files: the first upload makes that one. */
export function dataFolder({ DATA_DIR, DATA_QUOTA_BYTES, MAX_DATASET_MEMORY_BYTES }: Config): DataFolder {
  if (DATA_DIR !== undefined)
    return { root: join(DATA_DIR, FOLDER), stored: 'disk', quota: [DATA_DIR, DATA_QUOTA_BYTES] }
  const root = join(tmpdir(), `${TEMPORARY}${processName()}-${randomBytes(6).toString('hex')}`)
  return { root, stored: 'memory', quota: [root, MAX_DATASET_MEMORY_BYTES, 'MAX_DATASET_MEMORY_BYTES'] }
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

export interface DiskEvents {
  /** An upload that a process left unfinished has been removed. */
  removed(path: string): void
  /** A folder cannot be read, and is left alone. */
  refused(error: OtherLayout): void
}

/**
 * Datasets as plain files: a folder each. Every process on the same DATA_DIR sees the same; nothing is known of it beside
 * what the disk has.
 */
export class DiskStorage {
  readonly #refused = new Set<string>()

  constructor(
    private readonly root: string,
    private readonly events: DiskEvents,
  ) {}

  /** Makes the folder if there is none, removes what processes have left unfinished there, and reads all cards once. */
  async open(): Promise<void> {
    await makeFolder(this.root)
    await removeAbandoned(this.root, (path) => this.events.removed(path))
    await this.cards()
  }

  /** The card of a dataset; undefined: there is none. */
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
    const names = (await namesIn(this.root)).filter(isDatasetId)
    const cards: DatasetCard[] = []
    for (let first = 0; first < names.length; first += CARDS_AT_ONCE) {
      const some = names.slice(first, first + CARDS_AT_ONCE)
      const read = await Promise.all(some.map((id) => this.card(id)))
      cards.push(...read.filter((card) => card !== undefined))
    }
    return cards
  }

  tokensPath({ id }: CorpusCard): string {
    return join(this.root, id, FILES.tokens)
  }

  /** Fills `out` with the starts of a corpus's documents, piece by piece. @throws Error of the file system */
  async *starts({ id, num_documents }: CorpusCard, most: number): AsyncGenerator<BigUint64Array, void, void> {
    const handle = await open(join(this.root, id, FILES.documents))
    try {
      for (let first = 0; first <= num_documents; first += most) {
        const part = new BigUint64Array(Math.min(most, num_documents + 1 - first))
        const { bytesRead } = await handle.read(part, 0, part.byteLength, 8 * first)
        if (bytesRead < part.byteLength)
          throw new Error(`${id}/${FILES.documents} is shorter than its card says.`)
        yield part
      }
    } finally {
      await handle.close()
    }
  }

  /** @returns false where it was there already */
  async putMixture(card: MixtureCard): Promise<boolean> {
    const folder = new AsideFolder(this.root)
    try {
      await folder.make()
      await writeSynced(join(folder.path, CARD_FILE), [Buffer.from(JSON.stringify(card))])
      return await folder.moveTo(card.id)
    } catch (error) {
      throw storageRefusal(error, 0)
    } finally {
      await folder.remove()
    }
  }

  /** Takes the folder out of sight at once, then removes it: no reader finds half a dataset. @returns whether it was there */
  async remove(id: string): Promise<boolean> {
    if (!isDatasetId(id)) return false
    const path = join(this.root, asideName())
    try {
      await rename(join(this.root, id), path)
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
    await rm(path, { recursive: true, force: true })
    return true
  }
}
