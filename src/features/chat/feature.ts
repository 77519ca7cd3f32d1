import type { Feature } from '../../service/feature.js'
import { addRenderRoutes } from './routes.js'

/** `/v1/completions/render`, `/v1/chat/completions/render`: a prompt’s text and ids, as a model server would make them. */
export const chat: Feature = {
  name: 'chat',
  document: () => import('./document.js'),
  routes: addRenderRoutes,
}
