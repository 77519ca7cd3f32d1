import { notLive, stopping } from '../../service/answer/error-table.js'
import type { Feature } from '../../service/feature.js'
import { starting } from '../../service/models/errors.js'

/**
 * `GET /health/live`: 200 from the opening of the port, in every thread as long as the first one has turns. `GET /health/ready`: 200 while the tables are loaded and the
 * service is not stopping.
 */
export const health: Feature = {
  name: 'health',
  routes(app, { models, liveness }) {
    const config = { needs: 'nothing', isProbe: true, isWatched: false } as const
    app.get('/health/live', { schema: { operationId: 'getLiveness' }, config }, () => {
      if (liveness.isSilent) throw notLive()
      return { status: 'live' }
    })
    app.get('/health/ready', { schema: { operationId: 'getReadiness' }, config }, () => {
      if (liveness.isSilent) throw notLive()
      if (liveness.isStopping) throw stopping()
      if (models.isStarting) throw starting()
      return { status: 'ready' }
    })
  },
}
