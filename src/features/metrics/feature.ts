import type { Feature } from '../../service/feature.js'
import { addMetricsRoute } from './routes.js'

/** `/metrics`: for Prometheus. */
export const metrics: Feature = {
  name: 'metrics',
  document: () => import('./document.js'),
  routes(app, { metricsText }) {
    addMetricsRoute(app, metricsText)
  },
}
