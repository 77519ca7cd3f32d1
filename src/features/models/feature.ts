import type { Feature } from '../../service/feature.js'
import { addModelAdminRoutes } from './admin-routes.js'
import { addModelRoutes, describing } from './routes.js'

/** `/v1/models`: what is served, and the admin’s changes. */
export const models: Feature = {
  name: 'models',
  document: () => import('./document.js'),
  routes(app, { models, config }) {
    const describe = describing(config, models)
    addModelRoutes(app, models, describe)
    addModelAdminRoutes(app, models, describe, config)
  },
}
