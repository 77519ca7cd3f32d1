import type { Feature } from '../../service/feature.js'
import { addExplorerRoutes } from './routes.js'

/** `/`: the page that shows every stage of a text. */
export const explorer: Feature = {
  name: 'explorer',
  document: () => import('./document.js'),
  routes(app) {
    addExplorerRoutes(app)
  },
}
