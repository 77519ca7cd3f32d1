import type { Feature } from '../../service/feature.js'
import { errors } from './errors.js'
import { addLearningRoutes } from './http/routes.js'
import type { Learning } from './learning.js'
import { startLearning } from './start.js'

/** `/v1/models/{model}/optimizer`, `…/gradients`, `…/step`, `…/checkpoint`: tables that learn. */
export const learning: Feature<Learning> = {
  name: 'learning',
  document: () => import('./document.js'),
  errors,
  requestHeaders: ['X-Part', 'X-Sequence', 'X-Writer'],
  start: startLearning,
  routes(app, { models, config }, learning) {
    if (learning === undefined) return
    models.facts.set('learning', (id) => learning.state(id))
    addLearningRoutes(app, { learning, models, variables: config })
  },
}
