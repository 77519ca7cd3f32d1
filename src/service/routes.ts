import type { FastifyInstance } from 'fastify'
import { addRenderRoutes } from '../features/chat/routes.js'
import type { Datasets } from '../features/datasets/datasets.js'
import { addDatasetRoutes } from '../features/datasets/routes/routes.js'
import { addDocsRoutes } from '../features/docs/docs.js'
import { addOpenApiRoutes } from '../features/docs/openapi.js'
import { addEmbeddingsRoute } from '../features/embeddings/routes.js'
import { addExplorerRoutes } from '../features/explorer/routes.js'
import { addHealthRoutes } from '../features/health/routes.js'
import { addInputEmbeddingsRoutes } from '../features/input-embeddings/routes.js'
import type { LearningAdmin } from '../features/learning/admin.js'
import { addLearningRoutes } from '../features/learning/http/routes.js'
import { addMetricsRoute } from '../features/metrics/routes.js'
import { addModelAdminRoutes } from '../features/models/admin-routes.js'
import { addModelRoutes, describing } from '../features/models/routes.js'
import { addNeighborsRoute } from '../features/neighbors/routes.js'
import { addInferenceProtocol } from '../features/open-inference/routes.js'
import { addPositionRoutes } from '../features/positions/routes.js'
import { addPromptEmbedsRoute } from '../features/prompt-embeds/routes.js'
import { addDetokenizeRoute } from '../features/tokenize/detokenize.js'
import { addTokenizeRoute } from '../features/tokenize/tokenize.js'
import type { Models } from './models/library/models.js'
import type { Liveness } from './process/liveness.js'
import type { Metrics } from './process/metrics/metrics.js'
import { declareRoutes } from './process/telemetry/request-metrics.js'
import type { LimitVariables } from './request/limit-variables.js'

/** The parts of the service that routes use. */
export interface RouteParts {
  readonly models: Models
  /** Absent: there are no routes of datasets. */
  readonly datasets: Datasets | undefined
  /** Absent: there are no routes of learning. */
  readonly learning: LearningAdmin | undefined
  readonly variables: LimitVariables
  readonly liveness: Liveness
  readonly metrics: Metrics
  /** The answer of `/metrics`. */
  metricsText(): Promise<string>
}

/** Adds all routes, counted by their patterns. Hooks that apply to them are added before. */
export function addRoutes(app: FastifyInstance, parts: RouteParts): void {
  const { models, datasets, learning, variables, liveness, metrics, metricsText } = parts
  const describe = describing(variables, models, learning)
  declareRoutes(app, metrics)
  addHealthRoutes(app, () => !models.isStarting, liveness)
  addMetricsRoute(app, metricsText)
  addModelRoutes(app, models, describe)
  addModelAdminRoutes(app, models, describe, variables)
  if (learning !== undefined) addLearningRoutes(app, { learning, models, variables })
  addPositionRoutes(app, models, variables)
  addTokenizeRoute(app, models, variables)
  addDetokenizeRoute(app, models, variables)
  addNeighborsRoute(app, models, variables)
  addEmbeddingsRoute(app, models, variables)
  addInputEmbeddingsRoutes(app, models, variables)
  addInferenceProtocol(app, { models, limits: variables, liveness })
  addPromptEmbedsRoute(app, models, variables)
  addRenderRoutes(app, models, variables)
  if (datasets !== undefined) addDatasetRoutes(app, { datasets, models, variables })
  addOpenApiRoutes(app)
  addDocsRoutes(app)
  addExplorerRoutes(app)
}
