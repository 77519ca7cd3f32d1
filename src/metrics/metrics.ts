import { Counter, Histogram, Registry } from 'prom-client'
import { ERRORS, type ErrorCode } from '../errors.js'
import type { Models } from '../models/library/models.js'
import { metricsText } from './all-threads.js'
import { type Counts, ModelCounts } from './model-counts.js'
import { type Outcome, RequestCounts } from './request-counts.js'

/** Seconds: up to the longest wait that is usual. */
const QUEUE_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5]

/** Seconds: from few rows to large tables that are walked. */
const LEARNING_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** Why a request or a connection was refused or cut off. */
const REFUSALS = ['queue_full', 'queue_timeout', 'connections', 'deadline', 'write_stall'] as const
export type Refusal = (typeof REFUSALS)[number]

/**
 * Counts one thread's requests in a registry of its own. `watched.ts` adds metrics that are read at each scrape;
 * `all-threads.ts` makes one text of the values of all threads.
 */
export class Metrics {
  readonly registry = new Registry()
  readonly #registers = [this.registry]

  readonly #requests = new RequestCounts()
  readonly #errors = new Counter({
    name: 'inlet_errors_total',
    help: 'Error answers.',
    labelNames: ['code'] as const,
    registers: this.#registers,
  })

  readonly #queueSeconds = new Histogram({
    name: 'inlet_queue_seconds',
    help: 'Time that requests waited for room, whether they then went on or were refused.',
    buckets: QUEUE_BUCKETS,
    registers: this.#registers,
  })
  readonly #refusals = new Counter({
    name: 'inlet_refusals_total',
    help: 'Requests and connections that were refused or cut off to protect the service.',
    labelNames: ['reason'] as const,
    registers: this.#registers,
  })

  readonly #learning = new Histogram({
    name: 'inlet_learning_seconds',
    help: 'Time of gradients and steps in the thread that learns and before it, those that failed left out.',
    labelNames: ['call'] as const,
    buckets: LEARNING_BUCKETS,
    registers: this.#registers,
  })

  readonly #callerRequests = new Counter({
    name: 'inlet_caller_requests_total',
    help: 'Requests of a key, by its name.',
    labelNames: ['caller'] as const,
    registers: this.#registers,
  })
  readonly #callerTokens = new Counter({
    name: 'inlet_caller_tokens_total',
    help: 'Tokens of the requests of a key, by its name.',
    labelNames: ['caller'] as const,
    registers: this.#registers,
  })

  readonly #byModel = new ModelCounts()
  #models: Pick<Models, 'entries' | 'entry'> = { entries: () => [], entry: () => undefined }

  /** Called by the queue, the deadlines and the connection limits. */
  readonly queue = {
    waited: (milliseconds: number) => this.#queueSeconds.observe(milliseconds / 1000),
    refused: (reason: Refusal) => this.#refusals.inc({ reason }),
  }

  constructor() {
    for (const reason of REFUSALS) this.#refusals.inc({ reason }, 0)
    for (const code of Object.keys(ERRORS)) this.#errors.inc({ code }, 0)
    for (const call of ['gradients', 'step']) this.#learning.zero({ call })
  }

  /** Puts the counters of a route's formats into the metrics at zero, before the first request. */
  declareRoute(method: string, route: string, formats: readonly string[]): void {
    this.#requests.declareRoute(method, route, formats)
  }

  count(outcome: Outcome): void {
    this.#requests.count(outcome)
  }

  countError(code: ErrorCode): void {
    this.#errors.inc({ code })
  }

  /** Counts a request that brought a key. @param caller the key's name */
  countCaller(caller: string, tokens: number): void {
    this.#callerRequests.inc({ caller })
    this.#callerTokens.inc({ caller }, tokens)
  }

  /** Counts a request that used a model, unless that has been deleted meanwhile. */
  countModel(id: string, counts: Counts): void {
    if (this.#models.entry(id) !== undefined) this.#byModel.add(id, counts)
  }

  /** Counts gradients or a step that have had their effect. */
  countLearning(call: 'gradients' | 'step', seconds: number): void {
    this.#learning.observe({ call }, seconds)
  }

  /** Counts by these models from now on. */
  watchModels(models: Pick<Models, 'entries' | 'entry' | 'onDrop'>): void {
    this.#models = models
    models.onDrop((id) => this.#byModel.forget(id))
  }

  /** The values of this thread, as `metricsText` takes them. */
  async values(): Promise<object[]> {
    const requests = this.#requests.values()
    return [
      ...requests,
      ...(await this.registry.getMetricsAsJSON()),
      this.#byModel.all(this.#models.entries()),
    ]
  }

  /** The values of this thread alone, in Prometheus' text format. */
  async text(): Promise<string> {
    return metricsText([await this.values()])
  }
}
