import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Models } from './models/library/models.js'
import type { Config } from './process/config.js'
import type { Liveness } from './process/liveness.js'
import type { Metrics } from './process/metrics/metrics.js'

/** What a route's schemas in zod make of `request.body`, `request.query` and `request.params`. */
interface ZodProvider extends FastifyTypeProvider {
  readonly validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
}

/** The context of its own in which a feature adds routes, hooks and parsers. */
export type FeatureApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyInstance['log'],
  ZodProvider
>

/** What the routes of a feature stand on, in each thread. */
export interface Service {
  readonly config: Config
  readonly models: Models
  readonly metrics: Metrics
  readonly liveness: Liveness
  readonly logger: Logger
  /** What each feature keeps once, in the first thread, by the feature's name: its methods can be called in each thread. */
  readonly kept: Readonly<Record<string, unknown>>
  /** The answer of `/metrics`: the values of all threads. */
  metricsText(): Promise<string>
}

/** A part of the interface that can be taken away: its folder, its line in `features.ts` and its tests go together. */
export interface Feature {
  readonly name: string
  /** Adds its routes. The context is its own: hooks, error form and parsers that it sets are no other feature's. */
  routes(app: FeatureApp, service: Service): void
}
