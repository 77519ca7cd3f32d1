import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { DiagLogLevel, defaultTextMapGetter, diag, ROOT_CONTEXT, type Tracer } from '@opentelemetry/api'
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { packageFile } from '../first-layer/package-file.js'
import { CountedExporter, EXPORT_MS } from './counted-exporter.js'
import { RateLimiter } from './rate-limiter.js'
import { RequestSpans } from './request-spans.js'
import { RateLimitingSampler, samplerOf } from './samplers.js'
import type { RequestTrace, TraceCounts, TraceLog, Tracing } from './tracing.js'
import type { TracingConfig } from './variables.js'

/** How long the end of the process waits for the collector. */
const FINISH_MS = 2000
/** Characters of a reason in the log: a collector may have written it. */
const MOST_REASON = 500

/**
 * Traces requests by OpenTelemetry's SDK. This file and those that it alone imports are a part of the bundle of their
 * own, loaded where the environment asks for traces.
 */
export class OpenTelemetry implements Tracing {
  readonly counts: TraceCounts
  readonly #limiter: RateLimiter
  readonly #provider: TracerProvider
  readonly #tracer: Tracer
  readonly #propagator = new W3CTraceContextPropagator()

  constructor(
    config: TracingConfig,
    private readonly thread: number,
    private readonly log: TraceLog,
  ) {
    const warn = (...reasons: unknown[]) => {
      log.warn({ reason: reasons.join(' ').slice(0, MOST_REASON) }, 'traces')
    }
    const quiet = () => {}
    const logger = { error: warn, warn, info: quiet, debug: quiet, verbose: quiet }
    diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
    setGlobalErrorHandler((error) => this.#couldNotSend(error))
    this.#limiter = new RateLimiter(config.OTEL_BSP_MAX_QUEUE_SIZE)
    this.counts = this.#limiter
    const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'))
    const own = resourceFromAttributes({
      'service.name': 'inlet',
      'service.version': version,
      'service.instance.id': `${hostname()}-${process.pid}`,
    })
    this.#provider = new TracerProvider({
      resource: defaultResource()
        .merge(own)
        .merge(detectResources({ detectors: [envDetector] })),
      sampler: new RateLimitingSampler(samplerOf(config), this.#limiter),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: new CountedExporter(exporterOf(config), this.#limiter),
          maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE,
          maxExportBatchSize: Math.min(config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, config.OTEL_BSP_MAX_QUEUE_SIZE),
          scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY,
          exportTimeoutMillis: 2 * EXPORT_MS, // the exporter's own comes first
        }),
      ],
    })
    this.#tracer = this.#provider.getTracer('inlet', version)
  }

  begin(headers: Parameters<Tracing['begin']>[0]): RequestTrace | undefined {
    if (!this.#limiter.has()) return undefined // the cheapest answer, for when requests are most
    const parent =
      headers.traceparent === undefined
        ? ROOT_CONTEXT
        : this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
    return new RequestSpans(this.#tracer, this.#limiter, parent, this.thread)
  }

  async finish(): Promise<void> {
    const late = delay(FINISH_MS, 'late', { ref: false })
    const end = await Promise.race([this.#provider.shutdown(), late]).catch((error) =>
      this.#couldNotSend(error),
    )
    if (end === 'late')
      this.#couldNotSend(new Error(`The collector did not take them within ${FINISH_MS} ms`))
  }

  #couldNotSend(error: unknown): void {
    const { message, code } = error as NodeJS.ErrnoException // one of several addresses that failed has no message
    const reason = String(message || code || error).slice(0, MOST_REASON)
    this.log.warn({ reason }, 'traces could not be sent')
  }
}

function exporterOf(config: TracingConfig): JsonExporter | ProtobufExporter {
  const { OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: own, OTEL_EXPORTER_OTLP_PROTOCOL: general } = config
  return (own ?? general) === 'http/json' ? new JsonExporter() : new ProtobufExporter()
}
