import { stopping } from '../../service/answer/error-table.js'
import type { FeatureApp } from '../../service/feature.js'
import { starting } from '../../service/models/errors.js'
import type { Liveness } from '../../service/process/liveness.js'

/**
 * `GET /health/live`: 200 from the opening of the port. `GET /health/ready`: 200 while the tables are loaded and the
 * service is not stopping.
 */
export function addHealthRoutes(app: FeatureApp, isReady: () => boolean, liveness: Liveness): void {
  const options = { config: { open: true } }
  app.get('/health/live', options, () => ({ status: 'live' }))
  app.get('/health/ready', options, () => {
    if (liveness.isStopping) throw stopping()
    if (isReady()) return { status: 'ready' }
    throw starting()
  })
}
