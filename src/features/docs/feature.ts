import type { Feature } from '../../service/feature.js'
import { addDocsRoutes } from './docs.js'
import { addOpenApiRoutes } from './openapi.js'

/** `/docs`, `/openapi.json`, `/openapi.yaml`: the description of the interface. */
export const docs: Feature = {
  name: 'docs',
  document: () => import('./document.js'),
  routes(app) {
    addOpenApiRoutes(app)
    addDocsRoutes(app)
  },
}
