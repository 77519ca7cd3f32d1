import type { Feature } from '../../service/feature.js'
import type { LearningAdmin } from './admin.js'
import { addLearningRoutes } from './http/routes.js'

/** `/v1/models/{model}/optimizer`, `…/gradients`, `…/step`, `…/checkpoint`: tables that learn. */
export const learning: Feature = {
  name: 'learning',
  routes(app, { models, config, kept }) {
    const learning = kept.learning as LearningAdmin | undefined
    if (learning === undefined) return
    models.facts.set('learning', (id) => learning.state(id))
    addLearningRoutes(app, { learning, models, variables: config })
  },
}
