import type { Feature } from '../../service/feature.js'
import { addInputEmbeddingsRoutes } from './routes.js'

/** `/v1/input-embeddings`: text or ids in, tensors out. */
export const inputEmbeddings: Feature = {
  name: 'input-embeddings',
  document: () => import('./document.js'),
  routes: addInputEmbeddingsRoutes,
}
