import { Metrics } from '../http/figures/metrics.js'
import { inTime } from './in-time.js'
import type { Scrape } from './messages.js'

/** A thread that answers later than this is left out of a scrape. */
const ANSWER_MS = 1000

/** The metrics of all threads, as the first one gathers them. A thread that hangs stands there with what it said last. */
export class ThreadMetrics {
  readonly #last: (object[] | undefined)[]
  #ended: object[] = []

  /** @param threads all of the process, the first one included */
  constructor(threads: number) {
    this.#last = new Array(threads).fill(undefined)
  }

  /** @param ask asks a thread, where there is one in that place now */
  async collect(ask: (thread: number) => Promise<object[]> | undefined): Promise<Scrape> {
    const stale: number[] = []
    await Promise.all(
      this.#last.map(async (_, thread) => {
        const values = await inTime(ask(thread), ANSWER_MS)
        if (values === undefined) stale.push(thread)
        else this.#last[thread] = values
      }),
    )
    return { threads: [...this.#last], ended: this.#ended, stale }
  }

  /** A thread has ended: what it counted is kept, so that no counter runs backwards. */
  async end(thread: number): Promise<void> {
    const counted = this.#last[thread] ?? []
    this.#last[thread] = undefined
    this.#ended = await Metrics.keepCounts(this.#ended, counted)
  }
}

/** Prometheus' text of a scrape. */
export function scrapeText({ threads, ended, stale }: Scrape): Promise<string> {
  const answered = threads.filter((values) => values !== undefined)
  return Metrics.text([...answered, ended, Metrics.staleThreads(threads.length, stale)])
}
