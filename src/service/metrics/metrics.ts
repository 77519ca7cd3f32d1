import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { heldBytes, MODEL_STATES } from '../../models/entry.js'
import type { ErrorCode } from '../answer/error-table.js'
import type { Models } from '../models/library/models.js'

/** The result of one request. All its texts are from closed lists, none from the caller. */
export interface Outcome {
  readonly method: string
  /** The route's pattern, `/v1/models/:model`. */
  readonly route: string
  readonly status: number
  readonly format: string
  readonly seconds: number
  /** Bytes of the answer's body that were sent. */
  readonly bytes: number
  readonly tokens: number
  readonly windows: number
}

/** Seconds: from a small answer to a gigabyte for a slow reader. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]

/** Seconds: up to the longest wait that is usual. */
const QUEUE_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5]

/** Why a request or a connection was refused or cut off. */
const REFUSALS = ['queue_full', 'queue_timeout', 'connections', 'deadline', 'write_stall'] as const
export type Refusal = (typeof REFUSALS)[number]

const UNTIL_DELETED = 'gone when the model is deleted.'

/**
 * Counts one thread's requests in one registry. `watched.ts` adds metrics that are read at each scrape;
 * `metricsText` makes one text of the values of all threads.
 */
export class Metrics {
  readonly registry = new Registry()
  readonly #requests = this.#counter(
    'inlet_http_requests_total',
    'Requests answered. Status 499: the client went away before.',
    ['method', 'route', 'status', 'format'],
  )
  readonly #durations = this.#histogram(
    'inlet_http_request_duration_seconds',
    'Time from a request’s header to the last byte of its answer.',
    DURATION_BUCKETS,
    ['route', 'format'],
  )
  readonly #bytes = this.#counter('inlet_response_bytes_total', 'Bytes of answers’ bodies.', ['format'])
  readonly #tokens = this.#counter(
    'inlet_tokens_total',
    'Tokens of requests, also where they failed afterwards.',
  )
  readonly #windows = this.#counter('inlet_windows_total', 'Windows of the requests that were answered.')
  readonly #errors = this.#counter('inlet_errors_total', 'Error answers.', ['code'])
  readonly #queueSeconds = this.#histogram(
    'inlet_queue_seconds',
    'Time that requests waited for room, whether they then went on or were refused.',
    QUEUE_BUCKETS,
  )
  readonly #refusals = this.#counter(
    'inlet_refusals_total',
    'Requests and connections that were refused or cut off to protect the service.',
    ['reason'],
  )
  readonly #callerRequests = this.#counter('inlet_caller_requests_total', 'Requests of a key, by its name.', [
    'caller',
  ])
  readonly #callerTokens = this.#counter(
    'inlet_caller_tokens_total',
    'Tokens of the requests of a key, by its name.',
    ['caller'],
  )
  readonly #modelRequests = this.#counter(
    'inlet_model_requests_total',
    `Requests that used rows or the tokenizer of a model; ${UNTIL_DELETED}`,
    ['model'],
  )
  readonly #modelTokens = this.#counter(
    'inlet_model_tokens_total',
    `Tokens of the requests that used a model; ${UNTIL_DELETED}`,
    ['model'],
  )
  #models: Pick<Models, 'entry'> = { entry: () => undefined }

  /** Called by the queue, the deadlines and the connection limits. */
  readonly queue = {
    waited: (milliseconds: number) => this.#queueSeconds.observe(milliseconds / 1000),
    refused: (reason: Refusal) => this.#refusals.inc({ reason }),
  }

  #counter<const Label extends string = never>(name: string, help: string, labelNames: Label[] = []) {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #histogram<const Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ) {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] })
  }

  constructor() {
    for (const reason of REFUSALS) this.#refusals.inc({ reason }, 0)
  }

  /** Puts the counters of error codes into the metrics at zero. */
  declareErrors(codes: readonly string[]): void {
    for (const code of codes) this.#errors.inc({ code }, 0)
  }

  /** Puts the counters of a route's formats into the metrics at zero, before the first request. */
  declareRoute(method: string, route: string, formats: readonly string[]): void {
    for (const format of formats) {
      this.#requests.inc({ method, route, status: 200, format }, 0)
      this.#bytes.inc({ format }, 0)
    }
  }

  count({ method, route, status, format, seconds, bytes, tokens, windows }: Outcome): void {
    this.#requests.inc({ method, route, status, format })
    this.#durations.observe({ route, format }, seconds)
    this.#bytes.inc({ format }, bytes)
    this.#tokens.inc(tokens)
    this.#windows.inc(windows)
  }

  countError(code: ErrorCode): void {
    this.#errors.inc({ code })
  }

  countCaller(caller: string, tokens: number): void {
    this.#callerRequests.inc({ caller })
    this.#callerTokens.inc({ caller }, tokens)
  }

  countModel(model: string, tokens: number): void {
    if (this.#models.entry(model) === undefined) return
    this.#modelRequests.inc({ model })
    this.#modelTokens.inc({ model }, tokens)
  }

  watchModels(models: Pick<Models, 'entries' | 'entry' | 'onDrop'>): void {
    this.#models = models
    const bytes = 'Bytes of a model’s tables, which all threads share.'
    gauge(this.registry, 'inlet_table_bytes', bytes, 'max', ['model'], (shown) => {
      shown.reset()
      for (const entry of models.entries()) shown.set({ model: entry.card.id }, heldBytes(entry))
    })
    const states = `1 for the state that a model is in: ${MODEL_STATES.join(', ')}.`
    gauge(this.registry, 'inlet_model_state', states, 'max', ['model', 'state'], (shown) => {
      shown.reset()
      for (const { card, state } of models.entries()) shown.set({ model: card.id, state }, 1)
    })
    models.onDrop((model) => {
      this.#modelRequests.remove({ model })
      this.#modelTokens.remove({ model })
    })
  }

  /** The values of this thread, as `metricsText` takes them. */
  values(): Promise<object[]> {
    return this.registry.getMetricsAsJSON()
  }

  /** The values of this thread alone, in Prometheus' text format. */
  async text(): Promise<string> {
    return metricsText([await this.values()])
  }
}

/**
 * A gauge that is read at each scrape.
 * @param aggregator `max` where all threads measure the same thing, `sum` where each measures its own
 */
export function gauge<const Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  aggregator: 'sum' | 'max',
  labelNames: Label[],
  read: (shown: Gauge<Label>) => void,
): void {
  const registers = [registry]
  const collect = () => read(made)
  const made: Gauge<Label> = new Gauge({ name, help, labelNames, registers, aggregator, collect })
}

/**
 * The values of one or more threads together, in Prometheus' text format: added up, or the greatest of a
 * value that all threads share.
 */
export function metricsText(threads: readonly object[][]): Promise<string> {
  return AggregatorRegistry.aggregate([...threads]).metrics()
}
