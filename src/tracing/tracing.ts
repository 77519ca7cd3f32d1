/** A part of a request's way, as its span is named. */
export type Phase = 'tokenize' | 'window' | 'embed' | 'write'

/** Attributes of a phase or a request: counts and names from closed lists, never a part of a text. */
export type Facts = Readonly<Record<string, string | number | boolean | undefined>>

/** The headers that carry a trace from one service to the next. Source: W3C Trace Context. */
export interface TraceHeaders {
  readonly traceparent: string
  readonly tracestate?: string
}

/** The trace of one request. Phases follow each other: where one begins, the one before ends. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** Of the request's own span, 16 hexadecimal digits. */
  readonly spanId: string
  /** Whether it is sent to the collector, and the flag of its `traceparent`. */
  readonly isSampled: boolean
  /** Whether the caller gave the trace. */
  readonly isGiven: boolean
  /** Begins a phase now. */
  enter(phase: Phase): void
  /** Ends the phase that has begun, if one has. */
  leave(facts?: Facts): void
  /** Headers for a request to another service: the phase that has begun is its parent. */
  headers(): TraceHeaders
  /** Ends the request. @param name `POST /v1/tokenize` */
  end(name: string, facts: Facts, hasFailed: boolean): void
}

/** The counts of one thread. */
export interface TraceCounts {
  /** Spans that the collector has taken. */
  readonly exported: number
  /** Spans that it has not taken. */
  readonly failed: number
  /** Requests that were not traced, since the rate limiter refused. */
  readonly skipped: number
}

/** Makes the traces of a thread, and sends them. */
export interface Tracing {
  readonly counts: TraceCounts
  /** A request begins; undefined where the rate limiter refuses it. @param headers of the request */
  begin(headers: Readonly<Record<string, string | string[] | undefined>>): RequestTrace | undefined
  /** Sends what has ended, as far as the collector takes it within two seconds. No trace begins after it. */
  finish(): Promise<void>
}

/** The log of traces that could not be sent. */
export interface TraceLog {
  warn(facts: object, message: string): void
}
