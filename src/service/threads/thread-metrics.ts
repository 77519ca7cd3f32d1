import { waitWithin } from '../../first-layer/work/wait.js'
import { metricsText, staleThreads } from '../process/metrics/all-threads.js'
import type { Scrape } from './messages.js'

/** Milliseconds to wait for a thread's values; then the scrape has those of its last answer. */
const ANSWER_MS = 1000

/** Gathers the metrics of all threads, in the first one. */
export class ThreadMetrics {
  readonly #last: (object[] | undefined)[]

  /** @param threads number of the process's threads, the first one included */
  constructor(threads: number) {
    this.#last = new Array(threads).fill(undefined)
  }

  /** @param ask gets a thread's values by its number */
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
    return { threads: [...this.#last], stale }
  }
}

/** The values of all threads that have answered. */
export function scrapeValues({ threads }: Scrape): readonly object[][] {
  return threads.filter((values) => values !== undefined)
}

/** A scrape in Prometheus' text format. */
export function scrapeText(scrape: Scrape): Promise<string> {
  return metricsText([...scrapeValues(scrape), staleThreads(scrape.threads.length, scrape.stale)])
}
