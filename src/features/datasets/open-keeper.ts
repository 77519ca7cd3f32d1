import type { Logger } from 'pino'
import { InletError } from '../../service/answer/error-table.js'
import { pagesForLarge } from '../../service/request/load/admission.js'
import { Ledger, pagesOf } from '../../service/request/load/ledger.js'
import { type DataFolder, removeTemporary } from './data-folder.js'
import { DiskStorage } from './disk/disk-storage.js'
import { DatasetKeeper } from './keeper/keeper.js'
import { Kept, type KeptRoom } from './keeper/kept.js'

/** Of the memory for requests, what is kept of datasets takes at most this share. */
const KEPT_SHARE = 1 / 2

export interface OpenKeeperOptions {
  readonly folder: DataFolder
  readonly logger: Logger
  /** The ledger's memory, and the bytes that all requests may hold. */
  readonly ledger: SharedArrayBuffer
  readonly maxBytes: number
  removed(id: string): Promise<void>
}

/** Opens the datasets of a process. @throws Error of the file system for a DATA_DIR that cannot be written to */
export async function openKeeper(options: OpenKeeperOptions): Promise<DatasetKeeper> {
  const { folder, logger, removed } = options
  const storage = new DiskStorage(folder.root, {
    removed: (path) => logger.warn({ path }, 'an unfinished upload has been removed'),
    refused: ({ path, layout }) =>
      logger.error({ path, layout }, 'a dataset of another version of the service is not served'),
  })
  await (folder.stored === 'disk' ? storage.open() : removeTemporary())
  return new DatasetKeeper({ storage, kept: new Kept(roomOf(options), tooLarge), removed })
}

function roomOf({ ledger: memory, maxBytes }: OpenKeeperOptions): KeptRoom {
  const ledger = new Ledger(memory, maxBytes)
  const most = Math.floor(ledger.maxPages * KEPT_SHARE)
  const limit = pagesForLarge(ledger.maxPages)
  let kept = 0
  return {
    take(bytes) {
      const pages = pagesOf(bytes)
      if (kept + pages > most || !ledger.take(pages, limit)) return false
      kept += pages
      return true
    },
    give(bytes) {
      kept -= pagesOf(bytes)
      ledger.give(pagesOf(bytes))
    },
  }
}

function tooLarge(bytes: number): InletError {
  const message = `What this recipe needs of its dataset takes ${bytes} bytes: MAX_BYTES_IN_FLIGHT has no room for it now.`
  return new InletError('insufficient_memory', message)
}
