import {
  type Attributes,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { RateLimiter } from './rate-limiter.js'
import { SpanClock } from './span-clock.js'
import type { Facts, Phase, RequestTrace, TraceHeaders } from './tracing.js'

/** The spans of one request: its own, of kind `SERVER`, and one for each phase below it. */
export class RequestSpans implements RequestTrace {
  readonly isGiven: boolean
  readonly #clock = new SpanClock()
  readonly #span: Span
  readonly #context: Context
  #phase: Span | undefined
  #spans = 1

  /** @param parent holds the caller's span, where it gave one */
  constructor(
    private readonly tracer: Tracer,
    private readonly limiter: RateLimiter,
    parent: Context,
    thread: number,
  ) {
    const startTime = this.#clock.now()
    this.isGiven = trace.getSpan(parent) !== undefined
    const options = { kind: SpanKind.SERVER, startTime, attributes: { 'thread.id': thread } }
    this.#span = tracer.startSpan('request', options, parent)
    this.#context = trace.setSpan(parent, this.#span)
  }

  get traceId(): string {
    return this.#span.spanContext().traceId
  }

  get spanId(): string {
    return this.#span.spanContext().spanId
  }

  get isSampled(): boolean {
    return isSampled(this.#span)
  }

  enter(name: Phase): void {
    if (!this.#span.isRecording()) return
    const startTime = this.#clock.now()
    this.#phase?.end(startTime)
    this.#phase = this.tracer.startSpan(name, { startTime }, this.#context)
    this.#spans++
  }

  leave(facts?: Facts): void {
    if (this.#phase === undefined) return
    if (facts !== undefined) this.#phase.setAttributes(attributesOf(facts))
    this.#phase.end(this.#clock.now())
    this.#phase = undefined
  }

  headers(): TraceHeaders {
    const { traceId, spanId, traceState } = (this.#phase ?? this.#span).spanContext()
    const traceparent = `00-${traceId}-${spanId}-0${Number(this.isSampled)}`
    const tracestate = traceState?.serialize() // empty where nothing in it is valid
    return tracestate ? { traceparent, tracestate } : { traceparent }
  }

  end(name: string, facts: Facts, hasFailed: boolean): void {
    if (!this.#span.isRecording()) return
    const endTime = this.#clock.now()
    this.#phase?.end(endTime)
    this.#phase = undefined
    this.#span.updateName(name).setAttributes(attributesOf(facts))
    if (hasFailed) this.#span.setStatus({ code: SpanStatusCode.ERROR })
    this.limiter.ended(this.#spans)
    this.#span.end(endTime)
  }
}

function isSampled(span: Span): boolean {
  return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0
}

function attributesOf(facts: Facts): Attributes {
  const attributes: Attributes = {}
  for (const [name, fact] of Object.entries(facts)) if (fact !== undefined) attributes[name] = fact
  return attributes
}
