import type { Feature } from '../../service/feature.js'
import { addPromptEmbedsRoute } from './routes.js'

/** `/v1/prompt-embeds`: rows for model servers that take embeddings instead of text. */
export const promptEmbeds: Feature = {
  name: 'prompt-embeds',
  document: () => import('./document.js'),
  routes: addPromptEmbedsRoute,
}
