import { waitWithin } from '../../first-layer/work/wait.js'
import { Calls } from './calls.js'
import type { Scrape } from './messages.js'

/** Longer than the first thread waits for threads that hang (1 s). */
const ANSWER_MS = 2000

/**
 * Gets the metrics of all threads in any thread but the first, by asking the first. If the first thread hangs, returns
 * the metrics that it sent last, with this thread's present values.
 */
export class WorkerScrapes {
  readonly #calls = new Calls<Scrape>()
  #last: Scrape = { threads: [], stale: [] }

  constructor(
    private readonly thread: number,
    private readonly threads: number,
    private readonly own: () => Promise<object[]>,
    private readonly send: (id: number) => void,
  ) {}

  async ask(): Promise<Scrape> {
    const { id, answer } = this.#calls.open()
    this.send(id)
    const scrape = await waitWithin(answer, { limit: { milliseconds: ANSWER_MS, late: () => undefined } })
    this.#calls.forget(id)
    return scrape ?? this.#withOwn()
  }

  /** Takes an answer of the first thread. */
  take(id: number, scrape: Scrape): void {
    this.#last = scrape
    this.#calls.resolve(id, scrape)
  }

  async #withOwn(): Promise<Scrape> {
    const own = await this.own()
    const all = Array.from({ length: this.threads }, (_, thread) => thread)
    return {
      threads: all.map((thread) => (thread === this.thread ? own : this.#last.threads[thread])),
      stale: all.filter((thread) => thread !== this.thread),
    }
  }
}
