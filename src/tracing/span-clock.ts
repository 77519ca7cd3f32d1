import type { HrTime } from '@opentelemetry/api'

const SECOND_MS = 1000
const NS_PER_MS = 1e6

/**
 * The times of one request's spans. All count from one reading of the wall clock, so that a phase lies within its
 * request to the last microsecond, whatever becomes of that clock meanwhile.
 */
export class SpanClock {
  readonly #offset = Date.now() - performance.now()

  /** Seconds and nanoseconds since 1970. */
  now(): HrTime {
    const milliseconds = this.#offset + performance.now()
    const seconds = Math.floor(milliseconds / SECOND_MS)
    return [seconds, Math.round((milliseconds - seconds * SECOND_MS) * NS_PER_MS)]
  }
}
