import { waitWithin } from '../../first-layer/running/wait.js'
import { metricsText } from '../metrics/metrics.js'

export interface Scrape {
  /** The values of each thread, by its number; undefined where the thread has never answered. */
  readonly threads: readonly (object[] | undefined)[]
  /** Numbers of the threads that did not answer in time: their values are older. */
  readonly stale: readonly number[]
}

/** Milliseconds to wait for a thread's values; then the scrape has those of its last answer. */
const THREAD_MS = 1000

/** Gathers the metrics of all threads. @param ask gets a thread's values by its number */
export function gathered(
  count: number,
  ask: (thread: number) => Promise<object[]> | undefined,
): () => Promise<Scrape> {
  const last: (object[] | undefined)[] = new Array(count).fill(undefined)
  return async () => {
    const stale: number[] = []
    const answers = last.map(async (_, thread) => {
      const values = await within(THREAD_MS, ask(thread))
      if (values === undefined) stale.push(thread)
      else last[thread] = values
    })
    await Promise.all(answers)
    return { threads: [...last], stale }
  }
}

/** The text of a scrape, with the gauge `inlet_thread_stale`: 1 for each thread that did not answer in time. */
export function scrapeText({ threads, stale }: Scrape): Promise<string> {
  const values = threads.map((_, thread) => {
    return { labels: { thread: String(thread) }, value: stale.includes(thread) ? 1 : 0 }
  })
  const help = '1: the thread did not answer within a second, and counts as it did before.'
  const staleness = { name: 'inlet_thread_stale', help, type: 'gauge', values, aggregator: 'max' }
  return metricsText([...threads.filter((each) => each !== undefined), [staleness]])
}

function within<Value>(milliseconds: number, work: Promise<Value> | undefined): Promise<Value | undefined> {
  return waitWithin(work, { limit: { milliseconds, late: () => undefined } }) as Promise<Value | undefined>
}
