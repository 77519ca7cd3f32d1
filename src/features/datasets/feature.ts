import { rmSync } from 'node:fs'
import type { z } from 'zod'
import { InletError } from '../../service/answer/error-table.js'
import { header, number } from '../../service/document/headers.js'
import type { Feature, FirstThread } from '../../service/feature.js'
import {
  integer,
  MAX_BYTES,
  MAX_STORED_BYTES,
  MIB,
  oneOf,
  unusableDataDir,
} from '../../service/process/config.js'
import { Ledger, maxBytesInFlight, pagesForLarge, pagesOf } from '../../service/request/load/admission.js'
import { Datasets } from './datasets.js'
import { errors } from './errors.js'
import { DiskStorage, dataFolder, removeTemporary } from './keeper/disk-storage.js'
import { DatasetKeeper } from './keeper/keeper.js'
import { Kept, type KeptRoom } from './keeper/kept.js'
import { addDatasetRoutes } from './routes/routes.js'

const config = {
  DATASETS: oneOf(['on', 'off'], 'on').describe('off: no routes of datasets.').meta({ group: 'Datasets' }),
  MAX_DATASET_MEMORY_BYTES: integer(256 * MIB, 0, MAX_STORED_BYTES).describe(
    'Most bytes of datasets without `DATA_DIR`.',
  ),
  MAX_DATASET_BYTES: integer(MAX_BYTES, 1, MAX_STORED_BYTES).describe(
    'Largest upload of a dataset, in bytes after unpacking.',
  ),
} as const

const headers = {
  'Accept-Ranges': header('`bytes`, where parts of the answer can be asked for.'),
  'Content-Range': header('Which part this is, and the whole length.'),
  Location: header('The path of the dataset.'),
  Link: header('The next batch, after an epoch’s last the next epoch’s first: `rel="next"`.'),
  'X-Recipe-Id': header('Id of the recipe.'),
  'X-Epoch': number('The epoch.'),
  'X-Batch-Index': number('The batch, the first one of several.'),
}

declare module '../../service/process/config.js' {
  interface FeatureVariables extends Readonly<z.output<z.ZodObject<typeof config>>> {}
}

/** `/v1/datasets`: a corpus is uploaded once, then batches are read by their numbers. */
export const datasets: Feature<DatasetKeeper> = {
  name: 'datasets',
  document: () => import('./document.js'),
  config,
  errors,
  headers,
  start: (first) => (first.config.DATASETS === 'on' ? startDatasets(first) : undefined),
  routes(app, service, admin) {
    if (admin === undefined) return
    const datasets = new Datasets(admin, service.config.DATA_DIR === undefined ? 'memory' : 'disk')
    service.topics.on('dataset gone', (id: string) => datasets.forget(id))
    addDatasetRoutes(app, service, datasets)
  },
}

/** The datasets of a process; all threads forget one that is deleted. @throws ConfigError for a DATA_DIR that cannot be used */
async function startDatasets({ config, logger, ledger, publish }: FirstThread): Promise<DatasetKeeper> {
  const folder = dataFolder(config)
  if (folder.stored === 'memory')
    process.on('exit', () => rmSync(folder.root, { recursive: true, force: true }))
  const storage = new DiskStorage(folder.root, {
    removed: (path) => logger.warn({ path }, 'an unfinished upload has been removed'),
    refused: ({ path, layout }) =>
      logger.error({ path, layout }, 'a dataset of another version of the service is not served'),
  })
  await (folder.stored === 'disk' ? storage.open().catch(unusableDataDir) : removeTemporary())
  const kept = new Kept(roomFor(new Ledger(ledger, maxBytesInFlight(config))), tooLarge)
  return new DatasetKeeper({ folder, storage, kept, removed: (id) => publish('dataset gone', id).received })
}

/** Kept parts of datasets take at most this share of the memory for requests. */
const KEPT_SHARE = 1 / 2

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
