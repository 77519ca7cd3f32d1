import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type RouteOptions,
} from 'fastify'
import { addErrorHandling, sendError } from './answer/errors.js'
import { addEveryAnswer, identify, requestId } from './answer/every-answer.js'
import { addRequestEnd, endWatcher } from './answer/request-end.js'
import { answerClientError } from './connections/client-errors.js'
import { addConnectionLimits, Connections } from './connections/connections.js'
import type { FeatureApp, RequestWatch, Service } from './feature.js'
import { ERRORS, FEATURES, HEADERS, REQUEST_HEADERS } from './features.js'
import { Metrics } from './metrics/metrics.js'
import { countRequest, declareRoutes, logRequest } from './metrics/tell-requests.js'
import { watchBackend, watchLoad } from './metrics/watched.js'
import { type Remote, Topics } from './process/channel.js'
import type { Config } from './process/config.js'
import type { ApiKey } from './process/keys/api-keys.js'
import { adminKey, allApiKeys } from './process/keys/configured-keys.js'
import { type Certificate, tlsOptions } from './process/listening/certificate.js'
import { Liveness } from './process/liveness.js'
import { addBodyParsers, addValidation } from './request/body/json-body.js'
import { callersCheck, type KnownCallers } from './request/checks/callers.js'
import { addCors } from './request/checks/cors.js'
import { addHeadChecks, addRouteChecks, OWN_HEAD_CHECKS } from './request/checks/head-checks.js'
import { addAllMethods, methodsOf } from './request/checks/method-not-allowed.js'
import { addOperatorsRoutes } from './request/checks/operators.js'
import { addClaims } from './request/claims.js'
import { Load } from './request/load.js'

/** What an application is made of; what is left out is its own, for a process of one thread. */
export interface Dependencies
  extends Pick<Service, 'logger' | 'models'>,
    Partial<Pick<Service, 'topics' | 'liveness' | 'metrics' | 'onEnd' | 'metricsText'>> {
  onRoute?(route: RouteOptions): void
  /** Values that features keep in the first thread, by the feature's name. Default: none. */
  readonly kept?: Readonly<Record<string, object | undefined>>
  /** The ledger that all threads share. */
  readonly ledger?: SharedArrayBuffer
  /** The keys that are accepted at present. Default: those of the configuration. */
  keys?(): readonly ApiKey[]
  /** Default: the application speaks plain HTTP. */
  readonly certificate?: Certificate | undefined
}

/** Longest path parameter: a model's name may be anything that fits a header. */
const MAX_PARAM_LENGTH = 16_384

/** A query string stays as it came: the framework's own parser would drop what is repeated or badly encoded. */
const asItCame = String as unknown as (query: string) => Record<string, unknown>

/** Builds the application without listening: tests inject requests into it. */
export async function buildApp(config: Config, dependencies: Dependencies): Promise<FastifyInstance> {
  const service = serviceOf(config, dependencies)
  const watches = await Promise.all(FEATURES.map((feature) => feature.watch?.(service)))
  const parts = partsOf(
    dependencies,
    service,
    watches.filter((watch) => watch !== undefined),
  )
  const hasOperators = config.ADMIN_PORT !== undefined
  const app = assembled(parts, hasOperators)
  if (hasOperators && parts.liveness.thread === 0) {
    const operators = assembled(parts, false)
    app.decorate('operators', operators)
    app.addHook('onClose', () => operators.close())
  }
  return app
}

/** An application: callers', without the operators' routes if those have another port, or the operators' application. */
function assembled(parts: Parts, hidesOperators: boolean): FastifyInstance {
  const { config, dependencies, metrics, watchEnd, liveness } = parts
  const { certificate } = dependencies
  const isForOperators = config.ADMIN_PORT !== undefined && !hidesOperators
  const app = fastify({
    loggerInstance: dependencies.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }), // one line of our own instead
    genReqId: requestId,
    ...serverOptions(certificate && tlsOptions(certificate, !isForOperators)),
    bodyLimit: config.MAX_BODY_BYTES, // of text; that of JSON is in request/body/json-body.ts
    requestTimeout: 1000 * config.REQUEST_DEADLINE_SECONDS,
    keepAliveTimeout: 1000 * config.KEEP_ALIVE_SECONDS,
    return503OnClosing: false, // requests that arrive on an open connection are still answered
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, querystringParser: asItCame },
    schemaController: { compilersFactory: NO_AJV },
    clientErrorHandler(error, socket) {
      const code = answerClientError(error, socket)
      if (code !== undefined) metrics.countError(code)
    },
    frameworkErrors(error, request, reply) {
      watchEnd(request, reply)
      identify(request, reply)
      sendError(error, request, reply)
    },
  })
  app.decorate('connections', new Connections(app.server))
  app.decorate('hidesOperators', hidesOperators)
  app.decorate('liveness', liveness)
  for (const { add } of STEPS) add(app, { ...parts, isForOperators })
  return app
}

/** Fastify makes a server of TLS where it gets `https`. */
function serverOptions(tls: object | undefined): object {
  return tls === undefined ? { http: OWN_HEAD_CHECKS } : { https: { ...OWN_HEAD_CHECKS, ...tls } }
}

interface Step {
  readonly adds: string
  /** The reason for the step's place in the order. */
  readonly because: string
  add(app: FastifyInstance, parts: Assembly): void
}

/** The steps in order. Hooks of requests run in this order too: the first check that fails sends the answer. */
const STEPS: readonly Step[] = [
  {
    adds: 'the end of a request',
    because: 'each request is logged and counted, and gives back what it holds, whatever hook refuses it',
    add: (app, { watchEnd }) => addRequestEnd(app, watchEnd),
  },
  {
    adds: 'what features see of each request',
    because: 'a trace’s time includes all that follows',
    add(app, { watches }) {
      for (const { begin } of watches) {
        app.addHook('onRequest', (request, _reply, done) => {
          if (request.routeOptions.config?.isWatched !== false) begin(request)
          done()
        })
      }
    },
  },
  {
    adds: 'the claim and the deadline',
    because: 'all that follows of a route may reserve memory and may be aborted',
    add(app, { config, load, metrics }) {
      addClaims(app, load, config.REQUEST_DEADLINE_SECONDS, () => metrics.queue.refused('deadline'))
    },
  },
  {
    adds: '`X-Request-Id` and headers for browsers',
    because: 'refusals carry them too: they are set when an answer leaves',
    add: addEveryAnswer,
  },
  {
    adds: 'the form of error answers',
    because: 'the checks below throw',
    add: (app) => addErrorHandling(app),
  },
  {
    adds: 'the bound on connections',
    because: 'nothing of a request beyond it is looked at but its path',
    add(app, { config, metrics, load, isForOperators }) {
      addConnectionLimits(
        app,
        load,
        {
          maxConnections: isForOperators ? undefined : config.MAX_CONNECTIONS,
          writeStallSeconds: config.WRITE_STALL_SECONDS,
        },
        { refused: metrics.queue.refused, answered: ({ code }) => metrics.countError(code) },
      )
    },
  },
  {
    adds: 'the check of the head',
    because: 'a malformed request is refused before its fields are read',
    add: addHeadChecks,
  },
  {
    adds: 'all methods that Node knows',
    because: 'the features’ paths answer 405 to those that they do not have',
    add: addAllMethods,
  },
  {
    adds: 'CORS',
    because: 'browsers send a preflight without a key, and read refusals only with these headers',
    add: (app, { config }) =>
      addCors(app, config.CORS_ORIGINS, { exposed: Object.keys(HEADERS), read: REQUEST_HEADERS }),
  },
  {
    adds: 'the hiding of operators’ routes',
    because: 'callers get 404 for them, not 401',
    add: addOperatorsRoutes,
  },
  {
    adds: 'the checks of keys and media types',
    because: 'they need a route, and nothing of the body; a key comes before the types',
    add: (app, { callers, dependencies }) => addRouteChecks(app, callersCheck(callers, dependencies.models)),
  },
  {
    adds: 'the readers of bodies, and the check of fields by the routes’ schemas',
    because: 'no byte is read before the head is accepted',
    add(app, { config }) {
      addBodyParsers(app, config)
      addValidation(app, config)
    },
  },
  {
    adds: 'the features',
    because: 'hooks apply to routes that are added after them',
    add(app, { metrics, service, dependencies: { kept = {}, onRoute } }) {
      declareRoutes(app, metrics)
      if (onRoute !== undefined) app.addHook('onRoute', onRoute)
      for (const feature of FEATURES) {
        const keeps = kept[feature.name] as Remote<object>
        if (feature.start !== undefined && keeps === undefined) continue
        const plugin = async (context: FastifyInstance) => {
          const closeMethods = methodsOf(context)
          feature.routes?.(context as unknown as FeatureApp, service, keeps)
          closeMethods()
        }
        app.register(plugin, { prefix: feature.prefix ?? '' })
      }
    },
  },
]

type Parts = ReturnType<typeof partsOf>

type Assembly = Parts & { readonly isForOperators: boolean }

function serviceOf(config: Config, dependencies: Dependencies): Service {
  const { models, logger, metrics = new Metrics(), liveness = Liveness.first() } = dependencies
  const { topics = new Topics(), onEnd = () => {}, metricsText = () => metrics.text() } = dependencies
  return { config, models, metrics, liveness, logger, topics, onEnd, metricsText }
}

function partsOf(dependencies: Dependencies, service: Service, watches: readonly RequestWatch[]) {
  const { config, models, metrics, liveness } = service
  const load = new Load(config, metrics.queue, dependencies.ledger)
  metrics.watchModels(models)
  metrics.declareErrors(Object.keys(ERRORS))
  watchBackend(metrics.registry, models)
  watchLoad(metrics.registry, load)
  const configured = allApiKeys(config)
  const callers: KnownCallers = {
    users: dependencies.keys ?? (() => configured),
    admin: adminKey(config),
  }
  const watchEnd = endWatcher([logRequest, countRequest(metrics), ...watches.map(({ end }) => end)])
  return { config, dependencies, metrics, load, callers, watches, watchEnd, liveness, service }
}

/** Schemas are zod's (`request/body/json-body.ts`), and answers need none: Ajv and fast-json-stringify stay out of the bundle. */
const NO_AJV = { buildValidator: refuseSchema, buildSerializer: refuseSchema }

function refuseSchema(): never {
  throw new Error('A schema of a route must be zod’s, and not of an answer.')
}
