import type { FastifyInstance } from 'fastify'
import type { Datasets } from '../../datasets/datasets.js'
import type { LearningAdmin } from '../../learning/admin.js'
import type { Liveness } from '../../load/liveness.js'
import type { Metrics } from '../../metrics/metrics.js'
import type { Models } from '../../models/library/models.js'
import type { LimitVariables } from '../limit-variables.js'
import { declareRoutes } from '../telemetry/request-metrics.js'
import { addInferenceProtocol } from '../v2/routes.js'
import { addModelAdminRoutes } from './admin/routes.js'
import { addDatasetRoutes } from './datasets/routes.js'
import { addDetokenizeRoute } from './detokenize.js'
import { addDocsRoutes } from './docs.js'
import { addEmbeddingsRoute } from './embeddings.js'
import { addExplorerRoutes } from './explorer.js'
import { addHealthRoutes } from './health.js'
import { addInputEmbeddingsRoutes } from './input-embeddings.js'
import { addLearningRoutes } from './learning/routes.js'
import { addMetricsRoute } from './metrics.js'
import { addModelRoutes, describing } from './models.js'
import { addNeighborsRoute } from './neighbors.js'
import { addOpenApiRoutes } from './openapi.js'
import { addPositionRoutes } from './position-embeddings.js'
import { addPromptEmbedsRoute } from './prompt-embeds.js'
import { addRenderRoutes } from './render.js'
import { addTokenizeRoute } from './tokenize.js'

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
