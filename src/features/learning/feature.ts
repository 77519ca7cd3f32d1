import type { Feature } from '../../service/feature.js'
import { errors } from './errors.js'
import type { Learning } from './learning.js'
import { addLearningRoutes } from './routes.js'
import { startLearning } from './start.js'

/** `/v1/models/{model}/optimizer`, `…/gradients`, `…/steps`, `…/checkpoint`: tables that learn. */
export const learning: Feature<Learning> = {
  name: 'learning',
  errors,
  requestHeaders: ['Idempotency-Key'],
  start: startLearning,
  routes(app, { models, config }, learning) {
    if (learning === undefined) return
    models.facts.set('learning', (id) => learning.state(id))
    addLearningRoutes(app, learning, models, config)
  },
}
