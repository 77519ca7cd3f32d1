import type { Feature } from '../../service/feature.js'
import type { Datasets } from './datasets.js'
import { addDatasetRoutes } from './routes/routes.js'

/** `/v1/datasets`: a corpus is uploaded once, then batches are read by their numbers. */
export const datasets: Feature = {
  name: 'datasets',
  routes(app, { models, config, kept }) {
    const datasets = kept.datasets as Datasets | undefined
    if (datasets !== undefined) addDatasetRoutes(app, { datasets, models, variables: config })
  },
}
