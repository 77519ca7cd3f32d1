import { waitWithin } from '../load/wait-within.js'
import { keepCounts, keepModels, metricsText, staleThreads } from '../metrics/all-threads.js'
import type { Scrape } from './messages.js'

/** Milliseconds to wait for a thread's values; then the scrape has those of its last answer. */
const ANSWER_MS = 1000

/** Gathers the metrics of all threads, in the first one. */
export class ThreadMetrics {
  readonly #last: (object[] | undefined)[]
  #ended: object[] = []

  /** @param threads number of the process's threads, the first one included */
  constructor(threads: number) {
    this.#last = new Array(threads).fill(undefined)
  }

  /** @param ask gets a thread's values by its number; undefined where it has died */
  async collect(ask: (thread: number) => Promise<object[] | undefined> | undefined): Promise<Scrape> {
    const stale: number[] = []
    await Promise.all(
      this.#last.map(async (_, thread) => {
        const values = await waitWithin(ask(thread), {
          limit: { milliseconds: ANSWER_MS, late: () => undefined },
        })
        if (values === undefined) stale.push(thread)
        else this.#last[thread] = values
      }),
    )
    this.#ended = keepModels(this.#ended, this.#last[0])
    return { threads: [...this.#last], ended: this.#ended, stale }
  }

  /** Keeps the counts of a thread that has ended, so that no counter goes down. */
  async end(thread: number): Promise<void> {
    const counted = this.#last[thread] ?? []
    this.#last[thread] = undefined
    this.#ended = await keepCounts(this.#ended, counted)
  }
}

/** The values of all threads, those that have ended included. */
export function scrapeValues({ threads, ended }: Scrape): readonly object[][] {
  return [...threads.filter((values) => values !== undefined), ended]
}

/** A scrape in Prometheus' text format. */
export function scrapeText({ threads, ended, stale }: Scrape): Promise<string> {
  const answered = threads.filter((values) => values !== undefined)
  return metricsText([...answered, ended, staleThreads(threads.length, stale)])
}
