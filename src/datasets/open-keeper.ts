import type { Logger } from 'pino'
import { InletError } from '../errors.js'
import { pagesForLarge } from '../load/admission.js'
import { Ledger, PAGE_BYTES, pagesOf } from '../load/ledger.js'
import { isLocation } from '../objects/location.js'
import { DiskStorage, datasetsFolder, learningFolder } from './disk/disk-storage.js'
import { DiskUsage } from './disk/disk-usage.js'
import { DatasetKeeper } from './keeper/keeper.js'
import { Kept, type KeptRoom } from './keeper/kept.js'
import { MemoryStorage } from './memory/memory-storage.js'
import type { StorageVariables } from './storage-variables.js'

/** Of the memory for requests, what is kept of datasets takes at most this share. */
const KEPT_SHARE = 1 / 2

export interface OpenKeeperOptions {
  readonly variables: StorageVariables
  readonly logger: Logger
  /** The ledger's memory, this account of it, and the bytes that all requests may hold. */
  readonly ledger: SharedArrayBuffer
  readonly account: number
  readonly maxBytes: number
  removed(id: string): Promise<void>
}

/** Opens the datasets of a process: those in DATA_DIR, or none in memory. @throws Error of the file system, or the bucket's */
export async function openKeeper(options: OpenKeeperOptions): Promise<DatasetKeeper> {
  const { variables, logger, removed } = options
  const { DATA_DIR, DATA_QUOTA_BYTES: quota, MAX_DATASET_MEMORY_BYTES: maxMemoryBytes } = variables
  const kept = new Kept(roomOf(options), tooLarge)
  if (DATA_DIR === undefined) {
    const memory = new MemoryStorage((bytes) => keeper.freed(bytes))
    const keeper = new DatasetKeeper({ storage: memory, memory, maxMemoryBytes, kept, removed })
    return keeper
  }
  if (isLocation(DATA_DIR)) {
    const { openBucketStorage } = await import('./bucket/open-bucket-storage.js') // who names no bucket does without
    const gone = (id: string) => {
      kept.drop(`${id} `)
      void removed(id)
    }
    const storage = await openBucketStorage(variables, logger, gone)
    return new DatasetKeeper({ storage, maxMemoryBytes, kept, removed })
  }
  const root = datasetsFolder(DATA_DIR)
  const storage = await DiskStorage.open(root, new DiskUsage(root, learningFolder(DATA_DIR)), quota, {
    removed: (path) => logger.warn({ path }, 'an unfinished upload has been removed'),
    refused: ({ path, layout }) =>
      logger.error({ path, layout }, 'a dataset of another version of the service is not served'),
  })
  return new DatasetKeeper({ storage, maxMemoryBytes, kept, removed })
}

function roomOf({ ledger: memory, account, maxBytes }: OpenKeeperOptions): KeptRoom {
  const ledger = new Ledger(memory, account, maxBytes)
  const most = Math.floor(ledger.maxPages * KEPT_SHARE)
  const limit = pagesForLarge(ledger.maxPages)
  return {
    take(bytes) {
      const pages = pagesOf(bytes)
      return ledger.ownBytes / PAGE_BYTES + pages <= most && ledger.take(pages, limit)
    },
    give: (bytes) => ledger.give(pagesOf(bytes)),
  }
}

function tooLarge(bytes: number): InletError {
  const message = `What this recipe needs of its dataset takes ${bytes} bytes: MAX_BYTES_IN_FLIGHT has no room for it now.`
  return new InletError('insufficient_memory', message)
}
