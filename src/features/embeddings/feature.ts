import type { Feature } from '../../service/feature.js'
import { addEmbeddingsRoute } from './routes.js'

/** `/v1/embeddings`: one embedding of each text, by static models. */
export const embeddings: Feature = {
  name: 'embeddings',
  document: () => import('./document.js'),
  routes: addEmbeddingsRoute,
}
