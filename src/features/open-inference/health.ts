import { stopping } from '../../service/answer/error-table.js'
import type { FeatureApp } from '../../service/feature.js'
import { starting } from '../../service/models/errors.js'
import type { InferenceContext } from './context.js'

/** `GET /v2/health/live` and `GET /v2/health/ready`: as `/health/live` and `/health/ready`. */
export function addInferenceHealth(app: FeatureApp, { liveness, models }: InferenceContext): void {
  app.get(
    '/v2/health/live',
    { schema: { operationId: 'getInferenceLiveness' }, config: { open: true } },
    () => ({ live: true }),
  )
  app.get(
    '/v2/health/ready',
    { schema: { operationId: 'getInferenceReadiness' }, config: { open: true } },
    () => {
      if (liveness.isStopping) throw stopping()
      if (models.isStarting) throw starting()
      return { ready: true }
    },
  )
}
