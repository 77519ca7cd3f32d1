/**
 * The most requests that a thread traces within a second. Making and sending a trace takes some 40 µs of a thread that
 * answers a small request in 80: this many cost 1 % of its time, every request would cost a third.
 */
export const TRACES_A_SECOND = 250
/** The most spans of a request: its own, and its phases. */
const MOST_SPANS = 6
const SECOND_MS = 1000

/** Bounds what tracing takes from requests: how many are traced a second, and how many spans are held. */
export class RateLimiter {
  /** Spans that the collector has taken. */
  exported = 0
  /** Spans that it has not taken. */
  failed = 0
  /** Requests that were not traced, since the rate limiter refused. */
  skipped = 0
  #held = 0
  #second = 0
  #begun = 0

  /** @param most spans that may be held, at least those of one request */
  constructor(private readonly most: number) {}

  /** Whether one more request can be traced: with all its spans, or not at all. Counts it where it cannot. */
  has(now = performance.now()): boolean {
    const second = Math.floor(now / SECOND_MS)
    if (second !== this.#second) {
      this.#second = second
      this.#begun = 0
    }
    if (this.#begun < TRACES_A_SECOND && this.#held + MOST_SPANS <= this.most) return true
    this.skipped++
    return false
  }

  /** A request is traced: places are held for all its spans. */
  begin(): void {
    this.#begun++
    this.#held += MOST_SPANS
  }

  /** The request has ended with so many spans, which now wait. */
  ended(spans: number): void {
    this.#held -= MOST_SPANS - spans
  }

  /** Spans wait no longer. */
  sent(spans: number, isTaken: boolean): void {
    this.#held -= spans
    if (isTaken) this.exported += spans
    else this.failed += spans
  }
}
