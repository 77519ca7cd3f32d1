import { InletError } from '../../service/answer/error-table.js'
import type { FeatureApp } from '../../service/feature.js'
import { modelPaths } from './context.js'

/** Paths below `/v2/systemsharedmemory` and `/v2/cudasharedmemory`. */
const MEMORY = [
  ...['status', 'unregister'],
  ...['status', 'register', 'unregister'].map((end) => `region/:region/${end}`),
]

/** Paths of the protocol's extensions that are not here, and what they are for. */
const PATHS: readonly (readonly [path: string, what: string])[] = [
  ['/v2/trace/setting', 'trace settings'],
  ['/v2/models/:model/trace/setting', 'trace settings'],
  ['/v2/logging', 'log settings'],
  ['/v2/models/stats', 'statistics'],
  ...modelPaths('stats').map((path) => [path, 'statistics'] as const),
  ['/v2/repository/index', 'model repository'],
  ['/v2/repository/models/:model/load', 'model repository'],
  ['/v2/repository/models/:model/unload', 'model repository'],
  ...MEMORY.map((end) => [`/v2/systemsharedmemory/${end}`, 'shared memory'] as const),
  ...MEMORY.map((end) => [`/v2/cudasharedmemory/${end}`, 'shared memory'] as const),
]

/** Those paths. */
export const NOT_IMPLEMENTED: readonly string[] = PATHS.map(([path]) => path)

/** Answers 501 where clients ask for extensions that this service does not have. */
export function addNotImplemented(app: FeatureApp): void {
  for (const [url, what] of PATHS) {
    app.route({
      url,
      method: ['GET', 'POST'],
      handler(request) {
        const [path] = request.url.split('?', 1)
        throw new InletError('not_implemented', `This service has no ${what}: no ${request.method} ${path}.`)
      },
    })
  }
}
