import type { Feature } from '../../service/feature.js'
import { addHealthRoutes } from './routes.js'

/** `/health/live`, `/health/ready`: probes. */
export const health: Feature = {
  name: 'health',
  document: () => import('./document.js'),
  routes(app, { models, liveness }) {
    addHealthRoutes(app, () => !models.isStarting, liveness)
  },
}
