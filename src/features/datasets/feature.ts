import { rmSync } from 'node:fs'
import type { z } from 'zod'
import { integer, MAX_BYTES, MAX_STORED_BYTES, MIB, oneOf } from '../../models/variables.js'
import { header, number } from '../../service/document/headers.js'
import type { Feature, FirstThread } from '../../service/feature.js'
import { unusableDataDir } from '../../service/process/config.js'
import { maxBytesInFlight } from '../../service/request/load.js'
import { Datasets } from './datasets.js'
import { errors } from './errors.js'
import { dataFolder, removeTemporary } from './keeper/disk-storage.js'
import { DatasetKeeper } from './keeper/keeper.js'
import { Kept } from './keeper/kept.js'
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
  'X-Num-Target-Tokens': number('Of chats: trained targets of all ranks’ windows in these batches.'),
}

declare module '../../service/process/config.js' {
  interface FeatureVariables extends Readonly<z.output<z.ZodObject<typeof config>>> {}
}

/** `/v1/datasets`: a corpus is uploaded once, then batches are read by their numbers. */
export const datasets: Feature<DatasetKeeper> = {
  name: 'datasets',
  config,
  errors,
  headers,
  start: (first) => (first.config.DATASETS === 'on' ? startDatasets(first) : undefined),
  routes(app, service, admin) {
    const datasets = new Datasets(admin, service.config.DATA_DIR === undefined ? 'memory' : 'disk')
    service.topics.on('dataset gone', (key: string) => datasets.forget(key))
    addDatasetRoutes(app, service, datasets)
  },
}

/** Kept parts of datasets take at most this share of what requests may hold, beside it. */
const KEPT_SHARE = 1 / 4

/** The datasets of a process; all threads forget what is no longer kept. @throws ConfigError for a DATA_DIR that cannot be used */
async function startDatasets({ config, logger, publish }: FirstThread): Promise<DatasetKeeper> {
  const folder = dataFolder(config)
  if (folder.stored === 'memory')
    process.on('exit', () => rmSync(folder.root, { recursive: true, force: true }))
  const gone = (key: string) => publish('dataset gone', key).received
  const most = Math.floor(maxBytesInFlight(config) * KEPT_SHARE)
  const keeper = new DatasetKeeper(folder, logger, new Kept(most, gone), gone)
  await (folder.stored === 'disk' ? keeper.prepare().catch(unusableDataDir) : removeTemporary())
  return keeper
}
