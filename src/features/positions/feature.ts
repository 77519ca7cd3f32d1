import type { Feature } from '../../service/feature.js'
import { addPositionRoutes } from './routes.js'

/** `/v1/models/{model}/position-embeddings`: what a position scheme gives, alone. */
export const positions: Feature = {
  name: 'positions',
  document: () => import('./document.js'),
  routes: addPositionRoutes,
}
