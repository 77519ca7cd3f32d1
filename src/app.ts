import fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Config } from './config.js'
import type { Model } from './embeddings/model.js'
import { InletError } from './errors.js'
import { addErrorHandling, answerClientError, sendError } from './http/errors.js'
import { addJsonBodies } from './http/json-body.js'
import { checkMedia } from './http/media.js'
import { requestId } from './http/request-id.js'
import { addRequestLog } from './http/request-log.js'
import { addDocsRoutes } from './http/routes/docs.js'
import { addHealthRoutes } from './http/routes/health.js'
import { addEmbeddingRoutes } from './http/routes/input-embeddings.js'
import { addModelRoutes } from './http/routes/models.js'
import { addOpenApiRoutes } from './http/routes/openapi.js'
import { addTokenizeRoutes } from './http/routes/tokenize.js'

/** What the application needs besides its configuration. */
export interface Dependencies {
  readonly logger: FastifyBaseLogger
  /** The model, once its tables are there. */
  model(): Model | undefined
}

/** Longest path parameter: a model's name may be anything that fits a header. */
const MAX_PARAM_LENGTH = 8192
const REQUEST_TIMEOUT_MS = 300_000

/** Builds the application without listening: tests inject requests into it. */
export async function buildApp(config: Config, dependencies: Dependencies): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: dependencies.logger,
    disableRequestLogging: true,
    genReqId: requestId,
    bodyLimit: config.MAX_JSON_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false, // what arrives on an open connection is still answered
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
  })

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  addErrorHandling(app)
  addRequestLog(app)
  addJsonBodies(app, config.MAX_JSON_BODY_BYTES)
  app.addHook('onRequest', async (request) => {
    if (request.is404 || request.routeOptions.config.methodNotAllowed) return
    if (request.routeOptions.config.needsModel && dependencies.model() === undefined) {
      throw new InletError('loading', 'The tables are being made. Try again.', null, { 'retry-after': '1' })
    }
    checkMedia(request)
  })

  const model = () => dependencies.model() as Model // routes that use it are answered `loading` before it is there
  addHealthRoutes(app, () => dependencies.model() !== undefined)
  addModelRoutes(app, model, config)
  addTokenizeRoutes(app, model)
  addEmbeddingRoutes(app, model, config)
  addOpenApiRoutes(app)
  addDocsRoutes(app)
  app.closeMethods()
  return app
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered 503 `loading` until the tables are there. */
    needsModel?: boolean
  }
}
