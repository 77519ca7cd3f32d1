import type { Feature } from '../../service/feature.js'
import { addNeighborsRoute } from './routes.js'

/** `/v1/models/{model}/neighbors`: the rows nearest to given ones. */
export const neighbors: Feature = {
  name: 'neighbors',
  routes: addNeighborsRoute,
}
