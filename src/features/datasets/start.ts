import { rmSync } from 'node:fs'
import { InletError } from '../../service/answer/error-table.js'
import type { FirstThread } from '../../service/feature.js'
import { unusableDataDir } from '../../service/process/config.js'
import { Ledger, pagesForLarge, pagesOf } from '../../service/request/load/admission.js'
import { maxBytesInFlight } from '../../service/request/load/load.js'
import { dataFolder, removeTemporary } from './data-folder.js'
import { DiskStorage } from './disk/disk-storage.js'
import { DatasetKeeper } from './keeper/keeper.js'
import { Kept, type KeptRoom } from './keeper/kept.js'

/** Kept parts of datasets take at most this share of the memory for requests. */
const KEPT_SHARE = 1 / 2

/** The datasets of a process; all threads forget one that is deleted. @throws ConfigError for a DATA_DIR that cannot be used */
export async function startDatasets({ config, logger, ledger, publish }: StartParts): Promise<DatasetKeeper> {
  const folder = dataFolder(config)
  if (folder.stored === 'memory')
    process.on('exit', () => rmSync(folder.root, { recursive: true, force: true }))
  const storage = new DiskStorage(folder.root, {
    removed: (path) => logger.warn({ path }, 'an unfinished upload has been removed'),
    refused: ({ path, layout }) =>
      logger.error({ path, layout }, 'a dataset of another version of the service is not served'),
  })
  await (folder.stored === 'disk' ? storage.open().catch(unusableDataDir) : removeTemporary())
  const room = roomFor(new Ledger(ledger, maxBytesInFlight(config)))
  const removed = (id: string) => publish('dataset gone', id).taken
  return new DatasetKeeper({ folder, storage, kept: new Kept(room, tooLarge), removed })
}

type StartParts = Pick<FirstThread, 'config' | 'logger' | 'ledger' | 'publish'>

function roomFor(ledger: Ledger): KeptRoom {
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
