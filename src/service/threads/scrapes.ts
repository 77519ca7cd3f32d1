import { waitWithin } from '../../first-layer/running/wait.js'
import { metricsText, staleThreads } from '../metrics/metrics.js'

export interface Scrape {
  /** The values of each thread, by its number; undefined where the thread has never answered. */
  readonly threads: readonly (object[] | undefined)[]
  /** Numbers of the threads that did not answer in time: their values are older. */
  readonly stale: readonly number[]
}

/** Milliseconds to wait for a thread's values; then the scrape has those of its last answer. */
const THREAD_MS = 1000
/** For the first thread's answer, which waits so long for others. */
const FIRST_MS = 2 * THREAD_MS

/** Gathers the metrics of all threads, in the first one. @param ask gets a thread's values by its number */
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

/**
 * Asks the first thread for the metrics of all, in any other one. Where that hangs, gives what it answered
 * last, with this thread's present values.
 */
export function askedFirst(
  thread: number,
  count: number,
  own: () => Promise<object[]>,
  ask: () => Promise<Scrape>,
): () => Promise<Scrape> {
  let last: Scrape = { threads: [], stale: [] }
  return async () => {
    const answer = await within(FIRST_MS, ask())
    if (answer !== undefined) {
      last = answer
      return answer
    }
    const values = await own()
    const all = Array.from({ length: count }, (_, each) => each)
    return {
      threads: all.map((each) => (each === thread ? values : last.threads[each])),
      stale: all.filter((each) => each !== thread),
    }
  }
}

export function scrapeText({ threads, stale }: Scrape): Promise<string> {
  const values = threads.filter((each) => each !== undefined)
  return metricsText([...values, staleThreads(threads.length, stale)])
}

function within<Value>(milliseconds: number, work: Promise<Value> | undefined): Promise<Value | undefined> {
  return waitWithin(work, { limit: { milliseconds, late: () => undefined } }) as Promise<Value | undefined>
}
