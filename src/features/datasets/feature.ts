import type { Feature } from '../../service/feature.js'
import { config } from './config.js'
import { Datasets } from './datasets.js'
import { errors } from './errors.js'
import type { DatasetKeeper } from './keeper/keeper.js'
import { addDatasetRoutes } from './routes/routes.js'
import { startDatasets } from './start.js'

/** `/v1/datasets`: a corpus is uploaded once, then batches are read by their numbers. */
export const datasets: Feature<DatasetKeeper> = {
  name: 'datasets',
  document: () => import('./document.js'),
  config,
  errors,
  start: (first) => (first.config.DATASETS === 'on' ? startDatasets(first) : undefined),
  routes(app, { models, config, topics }, admin) {
    if (admin === undefined) return
    const datasets = new Datasets(admin, config.DATA_DIR === undefined ? 'memory' : 'disk')
    topics.on('dataset gone', (id: string) => datasets.forget(id))
    addDatasetRoutes(app, { datasets, models, variables: config })
  },
}
