import type { Feature } from '../../service/feature.js'
import { addDetokenizeRoute } from './detokenize.js'
import { addTokenizeRoute } from './tokenize.js'

/** `/v1/tokenize`, `/v1/detokenize`: token ids and back. */
export const tokenize: Feature = {
  name: 'tokenize',
  document: () => import('./document.js'),
  routes(app, service) {
    addTokenizeRoute(app, service)
    addDetokenizeRoute(app, service)
  },
}
