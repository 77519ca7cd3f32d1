import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import { Accounts } from './callers/accounts.js'
import type { ApiKey } from './callers/api-keys.js'
import { adminKey, allApiKeys } from './callers/configured-keys.js'
import { Usage } from './callers/usage.js'
import type { Config } from './config.js'
import { forgetTables } from './first-layer/embeddings/positions/kept-tables.js'
import { addErrorHandling, sendError } from './http/answers/errors.js'
import { addContinue } from './http/answers/expect-continue.js'
import { forgetBuffers } from './http/answers/gathered.js'
import { addBodyParsers } from './http/body/body-parsers.js'
import { acceptedKeys, callersCheck, reachesNoRoute } from './http/checks/callers.js'
import { addCors } from './http/checks/cors.js'
import { addHeadChecks, OWN_HEAD_CHECKS } from './http/checks/head-checks.js'
import { hideFromCallers } from './http/checks/hidden-routes.js'
import { checkMedia } from './http/checks/media.js'
import { addMethodNotAllowed } from './http/checks/method-not-allowed.js'
import { countUse } from './http/checks/rates.js'
import { addSecurityHeaders } from './http/checks/security-headers.js'
import { answerClientError } from './http/connections/client-errors.js'
import { addConnect } from './http/connections/connect.js'
import { addConnectionLimits } from './http/connections/connection-limits.js'
import { Connections } from './http/connections/connections.js'
import { addGracefulClose } from './http/connections/graceful-close.js'
import { makeLast } from './http/connections/last-answers.js'
import { addPipelineBound, beginNext } from './http/connections/pipelining.js'
import { Claims } from './http/lifetime/claims.js'
import { addLeases } from './http/lifetime/lease.js'
import { addRequestEnd } from './http/lifetime/request-end.js'
import { requestId } from './http/lifetime/request-id.js'
import { noteRequests } from './http/lifetime/running.js'
import { addCompletionRoutes } from './http/routes/completions.js'
import { addDocsRoutes } from './http/routes/docs.js'
import { addEmbeddingsRoute } from './http/routes/embeddings.js'
import { addExplorerRoutes } from './http/routes/explorer.js'
import { addHealthRoutes } from './http/routes/health.js'
import { addEmbeddingRoutes } from './http/routes/input-embeddings.js'
import { addMetricsRoute } from './http/routes/metrics.js'
import { addModelAdminRoutes } from './http/routes/model-admin.js'
import { addModelRoutes, describing } from './http/routes/models.js'
import { addNeighborsRoute } from './http/routes/neighbors.js'
import { addOpenApiRoutes } from './http/routes/openapi.js'
import { addPositionRoutes } from './http/routes/position-embeddings.js'
import { addPromptEmbedsRoute } from './http/routes/prompt-embeds.js'
import { addTokenizeRoutes } from './http/routes/tokenize.js'
import { addFigures, logRequest } from './http/telemetry/request-log.js'
import { countRequest, declareRoutes } from './http/telemetry/request-metrics.js'
import { addTraces, endTrace } from './http/telemetry/request-traces.js'
import { addInferenceProtocol } from './http/v2/routes.js'
import { IdleCollection } from './load/idle-collection.js'
import { Liveness } from './load/liveness.js'
import { Load, type SharedLoad } from './load/load.js'
import { withLazyChildren } from './log/lazy-logger.js'
import { Metrics } from './metrics/metrics.js'
import { watchBackend, watchLoad, watchTraces, watchTurns } from './metrics/watched.js'
import type { Models } from './models/library/models.js'
import type { Tracing } from './tracing/tracing.js'
import { worksWaiting } from './turn.js'

/** What the application needs besides its configuration. */
export interface Dependencies {
  readonly logger: Logger
  readonly models: Models
  /** The load that this application shares with the other threads' applications. Default: a load of its own. */
  readonly load?: SharedLoad
  /** What the process's threads know of each other. Default: a process of one thread. */
  readonly liveness?: Liveness
  /** Gives memory back that the thread has dropped. Default: what only this application drops. */
  readonly idleCollection?: IdleCollection
  /** The keys that are accepted at the moment, with their accounts. Default: those of the configuration. */
  keys?(): readonly ApiKey[]
  /** Traces requests. Default: nothing does. */
  readonly tracing?: Tracing | undefined
  /** What callers have used, in all threads. Default: in this application. */
  readonly usage?: Usage
  /** The counters that this application adds to. Default: counters of its own. */
  readonly metrics?: Metrics
  /** The figures of all threads. Default: this application's own. */
  figures?(): Promise<readonly object[][]>
  /** What `/metrics` answers. Default: this application's own counters. */
  metricsText?(): Promise<string>
}

/** Longest path parameter: a model's name may be anything that fits a header. */
const MAX_PARAM_LENGTH = 16_384

/** Builds the application without listening: tests inject requests into it. */
export async function buildApp(config: Config, dependencies: Dependencies): Promise<FastifyInstance> {
  const {
    logger,
    models,
    metrics = new Metrics(),
    liveness = Liveness.first(),
    idleCollection = new IdleCollection(),
  } = dependencies
  metrics.watchModels(models)
  watchBackend(metrics.registry, models)
  const load = new Load(config, metrics.queue, worksWaiting, dependencies.load)
  const claims = new Claims(load, config.REQUEST_DEADLINE_SECONDS, () => metrics.queue.refused('deadline'))
  watchLoad(metrics.registry, load, () => claims.count)
  watchTurns(metrics.registry)
  if (dependencies.tracing !== undefined) watchTraces(metrics.registry, dependencies.tracing.counts)
  const stopTidying = idleCollection.watch(load.ledger, () => {
    forgetTables()
    forgetBuffers()
    models.tidy()
  })
  const usage = dependencies.usage ?? new Usage()
  const configured = new Accounts(usage).assign(allApiKeys(config))
  const known = { users: dependencies.keys ?? (() => configured), admin: adminKey(config), usage }
  const app = fastify({
    loggerInstance: withLazyChildren(logger),
    logController: new LogController({ disableRequestLogging: true }), // one line of our own instead
    genReqId: requestId,
    http: OWN_HEAD_CHECKS,
    requestTimeout: 1000 * config.REQUEST_DEADLINE_SECONDS,
    return503OnClosing: false, // requests that arrive on an open connection are still answered
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    schemaController: { compilersFactory: NO_SCHEMA_COMPILERS },
    clientErrorHandler(error, socket) {
      const code = answerClientError(error, socket)
      if (code !== undefined) metrics.countError(code)
    },
    frameworkErrors(error, request, reply) {
      watchEnd(request, reply)
      begin(request, reply)
      sendError(error, request, reply)
    },
  })

  app.decorate('connections', new Connections(app.server))
  app.decorate('hidesOperators', config.ADMIN_PORT !== undefined)

  // Hooks run in this order: the first check that fails sends the answer.
  addFigures(app)
  addLeases(app)
  const endHolding = (request: FastifyRequest) => {
    request.lease?.release()
    claims.end(request)
  }
  const watchEnd = addRequestEnd(app, [
    endHolding,
    logRequest,
    countRequest(metrics),
    countUse(usage),
    endTrace,
    beginNext,
  ])
  addTraces(app, dependencies.tracing)
  addPipelineBound(app)
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('x-request-id', request.id)
    if (liveness.isStopping) makeLast(reply.raw)
  }
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    done()
  })
  claims.addTo(app)
  addSecurityHeaders(app)
  addErrorHandling(app)
  addHeadChecks(app)
  addMethodNotAllowed(app)
  addCors(app, config.CORS_ORIGINS)
  if (config.ADMIN_PORT !== undefined) hideFromCallers(app)
  const checkCaller = callersCheck(app, known, models)
  app.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions // made anew for each look at it
    if (!reachesNoRoute(request, config)) {
      checkCaller(request, reply, config)
      checkMedia(request, config)
    }
    done()
  })
  addBodyParsers(app)
  addContinue(app)
  addConnect(app, (code) => metrics.countError(code))
  addGracefulClose(app)
  app.addHook('onClose', async () => stopTidying())
  addConnectionLimits(
    app,
    load.ledger,
    { maxConnections: config.MAX_CONNECTIONS, writeStallSeconds: config.WRITE_STALL_SECONDS },
    { refused: metrics.queue.refused, answered: ({ code }) => metrics.countError(code) },
  )

  declareRoutes(app, metrics)
  noteRequests(app, liveness)
  addHealthRoutes(app, () => !models.isStarting, liveness)
  const metricsText = dependencies.metricsText ?? (() => metrics.text())
  addMetricsRoute(app, async () => (await metricsText()) + usage.text(acceptedKeys(known)))
  const describe = describing(config, models)
  addModelRoutes(app, models, describe)
  addModelAdminRoutes(app, models, describe, config)
  addPositionRoutes(app, models, config)
  addTokenizeRoutes(app, models, config)
  addNeighborsRoute(app, models, config)
  addEmbeddingsRoute(app, models, config)
  addEmbeddingRoutes(app, models, config)
  const figures = dependencies.figures ?? (async () => [await metrics.values()])
  addInferenceProtocol(app, { models, limits: config, liveness, claims, metrics, figures })
  addPromptEmbedsRoute(app, models, config)
  addCompletionRoutes(app, models, config, metrics)
  addOpenApiRoutes(app)
  addDocsRoutes(app)
  addExplorerRoutes(app)
  app.closeMethods()
  return app
}

/** No route has a Fastify schema: Fastify never calls Ajv and fast-json-stringify, which the bundle leaves out. */
const NO_SCHEMA_COMPILERS = { buildValidator: refuseSchema, buildSerializer: refuseSchema }

function refuseSchema(): never {
  throw new Error('A route has a Fastify schema: requests are checked by src/wire/schemas.')
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The connections that are open at the moment. */
    readonly connections: Connections
  }
}
