import { stopping } from '../../service/answer/error-table.js'
import type { FeatureApp } from '../../service/feature.js'
import { starting } from '../../service/models/errors.js'
import type { Liveness } from '../../service/process/liveness.js'

/**
 * `GET /health/live`: 200 from the opening of the port. `GET /health/ready`: 200 while the tables are loaded and the
 * service is not stopping.
 */
export function addHealthRoutes(app: FeatureApp, isReady: () => boolean, liveness: Liveness): void {
  app.get('/health/live', { schema: { operationId: 'getLiveness' }, config: { needs: 'nothing' } }, () => ({
    status: 'live',
  }))
  app.get('/health/ready', { schema: { operationId: 'getReadiness' }, config: { needs: 'nothing' } }, () => {
    if (liveness.isStopping) throw stopping()
    if (isReady()) return { status: 'ready' }
    throw starting()
  })
}
