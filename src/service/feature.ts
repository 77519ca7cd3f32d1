import type { IncomingMessage, ServerResponse } from 'node:http'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyTypeProvider,
  RawServerDefault,
} from 'fastify'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Shapes } from '../models/variables.js'
import type { ErrorRow } from './answer/error-table.js'
import type { RequestEnd } from './answer/request-end.js'
import type { JsonObject } from './document/components.js'
import type { Metrics } from './metrics/metrics.js'
import type { Keeper } from './models/keeper/keeper.js'
import type { Models } from './models/library/models.js'
import type { Published, Remote, Topics } from './process/channel.js'
import type { Config } from './process/config.js'
import type { Liveness } from './process/liveness.js'

interface ZodProvider extends FastifyTypeProvider {
  readonly validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
}

export type FeatureApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyInstance['log'],
  ZodProvider
>

/** The service's parts that the routes of a feature use, in each thread. */
export interface Service {
  readonly config: Config
  readonly models: Models
  readonly metrics: Metrics
  readonly liveness: Liveness
  readonly logger: Logger
  /** Gets handlers of what the first thread publishes. */
  readonly topics: Topics
  /** Calls `finish` when the thread ends, after its last request. */
  onEnd(finish: () => Promise<void>): void
  metricsText(): Promise<string>
}

export interface RequestWatch {
  /** Not called where the route's `isWatched` is false. */
  begin(request: FastifyRequest): void
  end(request: FastifyRequest, reply: FastifyReply, end: RequestEnd): void
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False of probes and scrapes, which come every few seconds. Default: true. */
    isWatched?: boolean
  }
}

/** The first thread's parts that a feature's `start` uses. */
export interface FirstThread extends Pick<Service, 'config' | 'logger' | 'metrics' | 'onEnd'> {
  readonly ledger: SharedArrayBuffer
  readonly keeper: Keeper
  publish(topic: string, value: unknown): Published
  /** Calls `add` when the models of the configuration are there. */
  afterModels(add: () => Promise<void>): void
  /** Ends the process, unless it is ending: a thread of the feature's own has died. */
  died(thread: string, cause: Error): void
}

/**
 * A part of the interface that can be taken away: architecture.md says what goes with its folder. `document.ts` there has words
 * about its routes, for openapi.yaml; the service does not load them.
 */
export interface Feature<Kept extends object = object> {
  readonly name: string
  /** Of its routes: `/v2`. With one, 404 below it has the feature's error form too. */
  readonly prefix?: string
  /** The feature's environment variables, whose types it adds to `FeatureVariables`. */
  readonly config?: Shapes
  /** The codes of errors that it alone answers with, which it adds to `ErrorCodes`. */
  readonly errors?: Readonly<Record<string, ErrorRow>>
  /** The headers that its answers alone have, as `header()` of document/headers.ts makes them: the document shows them, and CORS lets pages read them. */
  readonly headers?: Readonly<Record<string, JsonObject>>
  /** The headers that it alone reads of requests: CORS lets pages send them. */
  readonly requestHeaders?: readonly string[]
  /** Makes the object that it keeps, once, in the first thread, before models are loaded. Undefined: it adds no routes. */
  start?(first: FirstThread): Kept | undefined | Promise<Kept | undefined>
  /**
   * Adds its routes in each thread, and with `ADMIN_PORT` twice in the first. Hooks, error forms and parsers added here
   * act on these routes alone.
   * @param kept the object that `start` has made; in the other threads its methods are calls to the first
   */
  routes?(app: FeatureApp, service: Service, kept: Remote<Kept>): void
  /** Called once in each thread: watches all requests, before all other hooks. Undefined: it watches none. */
  watch?(service: Service): Promise<RequestWatch | undefined>
}
