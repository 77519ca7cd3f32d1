import type { Logger } from 'pino'
import type { Datasets } from '../../features/datasets/datasets.js'
import type { LearningAdmin } from '../../features/learning/admin.js'
import type { SelectedBackend } from '../../first-layer/embeddings/backends/select.js'
import type { Model } from '../../first-layer/embeddings/model.js'
import type { TokenizerLibrary } from '../../first-layer/tokens/rust/rust-library.js'
import { buildApp } from '../app.js'
import type { ModelAdmin } from '../models/admin.js'
import { bindIn } from '../models/library/bind.js'
import { Library } from '../models/library/library.js'
import { Models } from '../models/library/models.js'
import { type TokenizerOf, Tokenizers } from '../models/library/tokenizers.js'
import type { Config } from '../process/config.js'
import type { Certificate } from '../process/listening/certificate.js'
import type { Liveness } from '../process/liveness.js'
import { Metrics } from '../process/metrics/metrics.js'
import { watchNode } from '../process/metrics/watched.js'
import type { ApiKey } from '../request/callers/api-keys.js'
import type { Scrape } from './messages.js'
import { scrapeText } from './thread-metrics.js'

/** The parts in which the threads differ. */
export interface ServingOptions {
  readonly liveness: Liveness
  readonly logger: Logger
  /** Absent: callers speak plain HTTP. */
  readonly certificate: Certificate | undefined
  /** The memory of the ledger that all threads share. */
  readonly ledger: SharedArrayBuffer
  readonly admin: ModelAdmin
  readonly learning: LearningAdmin
  /** Absent: there are no routes of datasets. */
  readonly datasets: Datasets | undefined
  /** The tokenizer library, which the first thread runs. */
  readonly rust: TokenizerLibrary
  /** Undefined before it is chosen. */
  backend(): SelectedBackend | undefined
  isStarting(): boolean
  keys(): readonly ApiKey[]
  /** The metrics of all threads; undefined while there is one. */
  scrape(): Promise<Scrape | undefined>
}

/** Builds the parts that every serving thread has: its library of models, its metrics, its application. */
export async function servingThread(config: Config, options: ServingOptions) {
  const { liveness, logger, admin, datasets, learning, certificate } = options
  const { backend, isStarting, keys } = options
  const tokenizers = new Tokenizers(options.rust)
  const tokenizerOf: TokenizerOf = (card) => tokenizers.of(card)
  const library: Library<Model> = new Library(bindIn(liveness.thread, tokenizerOf), () =>
    tokenizers.keepOnly(library.entries().map(({ card }) => card)),
  )
  const defaultModel = config.DEFAULT_MODEL
  const models = new Models({ library, admin, tokenizerOf, defaultModel, backend, isStarting })
  const metrics = new Metrics()
  const traces = config.OTEL_EXPORTER_OTLP_ENDPOINT
    ? (await import('../../features/tracing/traces.js')).openTraces((reason) =>
        logger.warn({ reason }, 'traces'),
      )
    : undefined
  watchNode(metrics.registry)
  const app = await buildApp(config, {
    ...{ logger, traces, metrics, liveness, models, keys, certificate },
    ...{ ledger: options.ledger, kept: { datasets, learning } },
    async metricsText() {
      const scrape = await options.scrape()
      return scrape === undefined ? metrics.text() : scrapeText(scrape)
    },
  })
  return { app, library, metrics, traces }
}
