import type { Feature } from '../../service/feature.js'
import { addTokenizeRoutes } from './routes.js'

/** `/v1/tokenize`, `/v1/detokenize`: token ids and back. */
export const tokenize: Feature = {
  name: 'tokenize',
  document: () => import('./document.js'),
  routes: addTokenizeRoutes,
}
