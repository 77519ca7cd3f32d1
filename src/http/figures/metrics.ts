import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { tensorCount } from '../../embeddings/model.js'
import { ERRORS, type ErrorCode } from '../../errors.js'
import type { Load } from '../../load/load.js'
import type { Models } from '../../models/models.js'
import type { TraceCounts } from '../../tracing/tracing.js'
import { Pace, takeTurnFigures } from '../../turn.js'
import {
  areInferenceFigures,
  InferenceCounts,
  inferenceFigures,
  summedInferences,
} from './inference-figures.js'
import { areModelFigures, ModelCounts, type ModelFigures, modelText, summed } from './model-figures.js'

/** Seconds: from a small answer to a gigabyte for a slow reader. */
const DURATION_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
]

/** Seconds: up to the longest wait that is usual. */
const QUEUE_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5]

/** Why a request or a connection was refused or cut off. */
const REFUSALS = ['queue_full', 'queue_timeout', 'connections', 'deadline', 'write_stall'] as const
export type Refusal = (typeof REFUSALS)[number]
/** A metric as the registry gives it. */
interface Measured {
  readonly type: string
}
const NO_MODELS: ModelFigures = { type: 'models', ids: [], numbers: new Float64Array() }

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

/**
 * The metrics of one thread's application, in their own registry. `AggregatorRegistry.aggregate` adds the values
 * of several threads up; of a value that all threads share it takes the greatest.
 */
export class Metrics {
  readonly registry = new Registry()
  readonly #registers = [this.registry]

  readonly #requests = new Counter({
    name: 'inlet_http_requests_total',
    help: 'Requests answered. Status 499: the client went away before.',
    labelNames: ['method', 'route', 'status', 'format'] as const,
    registers: this.#registers,
  })
  readonly #durations = new Histogram({
    name: 'inlet_http_request_duration_seconds',
    help: 'Time from a request’s header to the last byte of its answer.',
    labelNames: ['route', 'format'] as const,
    buckets: DURATION_BUCKETS,
    registers: this.#registers,
  })
  readonly #responseBytes = new Counter({
    name: 'inlet_response_bytes_total',
    help: 'Bytes of answers’ bodies.',
    labelNames: ['format'] as const,
    registers: this.#registers,
  })
  readonly #tokens = this.#counter(
    'inlet_tokens_total',
    'Tokens of requests, also where they failed afterwards.',
  )
  readonly #windows = this.#counter('inlet_windows_total', 'Windows of the requests that were answered.')
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

  readonly #byModel = new ModelCounts()
  /** The inferences of the Open Inference Protocol: its own route shows them, not `/metrics`. */
  readonly inferences = new InferenceCounts()
  #models: Pick<Models, 'entries' | 'entry'> = { entries: () => [], entry: () => undefined }

  /** Called by the queue, the deadlines and the connection limits. */
  readonly queue = {
    waited: (milliseconds: number) => this.#queueSeconds.observe(milliseconds / 1000),
    refused: (reason: Refusal) => this.#refusals.inc({ reason }),
  }

  constructor() {
    for (const reason of REFUSALS) this.#refusals.inc({ reason }, 0)
    for (const code of Object.keys(ERRORS)) this.#errors.inc({ code }, 0)
  }

  /** Puts the counters of a route's formats into the metrics at zero, before the first request. */
  declareRoute(method: string, route: string, formats: readonly string[]): void {
    for (const format of formats) {
      this.#requests.inc({ method, route, status: '200', format }, 0)
      this.#durations.zero({ route, format })
      this.#responseBytes.inc({ format }, 0)
    }
  }

  count(outcome: Outcome): void {
    const { method, route, status, format, seconds, bytes, tokens, windows } = outcome
    this.#requests.inc({ method, route, status: String(status), format })
    this.#durations.observe({ route, format }, seconds)
    this.#responseBytes.inc({ format }, bytes)
    this.#tokens.inc(tokens)
    this.#windows.inc(windows)
  }

  countError(code: ErrorCode): void {
    this.#errors.inc({ code })
  }

  /** Counts one request that used a model; one that has been deleted meanwhile is not counted. */
  countModel(id: string, tokens: number): void {
    if (this.#models.entry(id) !== undefined) this.#byModel.count(id, tokens)
  }

  /** Adds the metrics of the models, read at each scrape. */
  watchModels(models: Pick<Models, 'entries' | 'entry' | 'onDrop' | 'backend'>): void {
    const registers = this.#registers
    this.#models = models
    models.onDrop((id) => this.#byModel.forget(id))
    new Gauge({
      name: 'inlet_tensors',
      help: 'TensorFlow.js tensors that live.',
      registers,
      collect() {
        this.set(tensorCount())
      },
    })
    new Gauge({
      name: 'inlet_backend_info',
      help: 'The TensorFlow.js backend that runs; always 1.',
      labelNames: ['backend', 'version'],
      registers,
      aggregator: 'max',
      collect() {
        const { backend } = models
        if (backend !== undefined) this.set({ backend: backend.name, version: backend.version }, 1)
      },
    })
  }

  /** Adds the metrics of open requests and of the memory that requests hold. */
  watchLoad({ ledger, maxBytesInFlight }: Load, openRequests: () => number): void {
    this.#gauge('inlet_requests_in_flight', 'Requests whose answer has not ended.', 'sum', openRequests)
    this.#gauge('inlet_bytes_in_flight', 'Bytes that requests hold.', 'max', () => ledger.bytes)
    this.#gauge('inlet_bytes_in_flight_limit', 'Bytes that requests may hold.', 'max', () => maxBytesInFlight)
    this.#gauge('inlet_queue_depth', 'Requests that wait for room.', 'max', () => ledger.queued)
    this.#gauge('inlet_connections', 'Open connections.', 'max', () => ledger.connections)
  }

  /** @param aggregator `max` where all threads measure the same thing, `sum` where each measures its own */
  #gauge(name: string, help: string, aggregator: 'sum' | 'max', value: () => number): void {
    new Gauge({
      name,
      help,
      registers: this.#registers,
      aggregator,
      collect() {
        this.set(value())
      },
    })
  }

  /** Adds the lengths of this thread's event-loop turns, measured by the service (`turn.ts`). */
  watchTurns(): void {
    let figures = takeTurnFigures()
    new Counter({
      name: 'inlet_turns_over_10ms_total',
      help: 'Turns of the event loop that took more than 10 ms from the first request or work in them to their end.',
      registers: this.#registers,
      collect() {
        const before = figures.longTurns
        figures = takeTurnFigures()
        this.inc(figures.longTurns - before)
      },
    })
    this.#gauge('inlet_longest_turn_seconds', 'The longest turn since the last scrape.', 'max', () => {
      return figures.longestMs / 1000
    })
  }

  /** Counts the log lines that could not be written. */
  watchLog(dropped: () => number): void {
    new Counter({
      name: 'inlet_log_lines_dropped_total',
      help: 'Log lines that were dropped: standard output could not be written, and the buffer was full.',
      registers: this.#registers,
      collect() {
        this.reset()
        this.inc(dropped())
      },
    })
  }

  /** Adds what becomes of traces; only where requests are traced. */
  watchTraces(counts: TraceCounts): void {
    const registers = this.#registers
    new Counter({
      name: 'inlet_trace_spans_total',
      help: 'Spans that went to the collector. Failed: it did not take them.',
      labelNames: ['result'] as const,
      registers,
      collect() {
        this.reset()
        this.inc({ result: 'exported' }, counts.exported)
        this.inc({ result: 'failed' }, counts.failed)
      },
    })
    new Counter({
      name: 'inlet_traces_skipped_total',
      help: 'Requests that were not traced: too many in this second, or too many spans wait.',
      registers,
      collect() {
        this.reset()
        this.inc(counts.skipped)
      },
    })
  }

  /** Adds Node's own metrics: event-loop delay, memory, CPU, garbage collection. To be called once per thread. */
  collectNodeMetrics(): void {
    collectDefaultMetrics({ register: this.registry })
    for (const metric of this.registry.getMetricsAsArray()) {
      // Each thread measures the whole process here, and the highest delay counts: these values must not add up.
      const ofProcess = metric.name.startsWith('process_')
      const isDelay = /^nodejs_eventloop_lag_(p\d+_)?seconds$/.test(metric.name)
      if (ofProcess || isDelay) Object.assign(metric, { aggregator: 'max' })
    }
  }

  /** The values of this thread, as `text` takes them. */
  async values(): Promise<object[]> {
    const entries = this.#models.entries()
    return [
      ...(await this.registry.getMetricsAsJSON()),
      this.#byModel.figures(entries),
      this.inferences.figures(entries),
    ]
  }

  /** The values of this thread alone, in Prometheus' text format. */
  async text(): Promise<string> {
    return Metrics.text([await this.values()])
  }

  /**
   * The values of one or more threads together, in Prometheus' text format.
   *
   * @param threads the first one's come first: of models, those are shown that it knows
   */
  static async text(threads: readonly object[][]): Promise<string> {
    const pace = new Pace()
    const [known = NO_MODELS, ...others] = threads.flatMap((values) => values.filter(areModelFigures))
    const text = await AggregatorRegistry.aggregate(threads.map(withoutFigures)).metrics()
    if (pace.isOver) await pace.nextTurn()
    return text + (await modelText(summed(known, others), pace))
  }

  /** Adds the counters and histograms of a thread that has ended to `ended`; its gauges are dropped. */
  static async keepCounts(ended: object[], values: object[]): Promise<object[]> {
    const counts = values.filter((metric) => ['counter', 'histogram'].includes((metric as Measured).type))
    const sums = await AggregatorRegistry.aggregate([withoutFigures(ended), counts]).getMetricsAsJSON()
    return [...sums, ...[...ended, ...values].filter((metric) => !isMeasured(metric))]
  }

  /** `ended` without the models that the living thread does not know. */
  static keepModels(ended: object[], living: object[] = []): object[] {
    const known = living.find(areModelFigures)
    if (known === undefined || ended.length === 0) return ended
    const none = { ...known, numbers: new Float64Array(known.numbers.length) }
    const inferences = summedInferences(ended.filter(areInferenceFigures))
    for (const id of inferences.keys()) if (!known.ids.includes(id)) inferences.delete(id)
    return [
      ...withoutFigures(ended),
      summed(none, ended.filter(areModelFigures)),
      inferenceFigures(inferences),
    ]
  }

  /** The gauge `inlet_thread_stale`, for `text`: 1 for each thread that did not answer in time. */
  static staleThreads(threads: number, stale: readonly number[]): object[] {
    const values = Array.from({ length: threads }, (_, thread) => ({
      labels: { thread: String(thread) },
      value: stale.includes(thread) ? 1 : 0,
    }))
    const help = '1: the thread did not answer within a second, and counts as it did before.'
    return [{ name: 'inlet_thread_stale', help, type: 'gauge', values, aggregator: 'max' }]
  }

  #counter(name: string, help: string): Counter {
    return new Counter({ name, help, registers: this.#registers })
  }
}

/** Whether a metric is one of prom-client's, not figures of our own. */
function isMeasured(metric: object): boolean {
  return !areModelFigures(metric) && !areInferenceFigures(metric)
}

function withoutFigures(values: object[]): object[] {
  return values.filter(isMeasured)
}
