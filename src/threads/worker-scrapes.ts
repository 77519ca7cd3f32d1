import { inTime } from './in-time.js'
import type { Scrape } from './messages.js'

/** Longer than the first thread waits for those that hang. */
const ANSWER_MS = 2000

/**
 * The metrics of all threads, for one that is not the first: it asks that one. Where the first thread hangs, the answer
 * is what it said last, with this thread's own values of now.
 */
export class WorkerScrapes {
  readonly #asked = new Map<number, (scrape: Scrape) => void>()
  #nextId = 0
  #last: Scrape = { threads: [], ended: [], stale: [] }

  constructor(
    private readonly thread: number,
    private readonly threads: number,
    private readonly own: () => Promise<object[]>,
    private readonly send: (id: number) => void,
  ) {}

  async ask(): Promise<Scrape> {
    const id = this.#nextId++
    const answer = new Promise<Scrape>((resolve) => this.#asked.set(id, resolve))
    this.send(id)
    const scrape = await inTime(answer, ANSWER_MS)
    this.#asked.delete(id)
    return scrape ?? this.#withOwn()
  }

  /** An answer of the first thread. */
  take(id: number, scrape: Scrape): void {
    this.#last = scrape
    this.#asked.get(id)?.(scrape)
  }

  async #withOwn(): Promise<Scrape> {
    const own = await this.own()
    const all = Array.from({ length: this.threads }, (_, thread) => thread)
    return {
      threads: all.map((thread) => (thread === this.thread ? own : this.#last.threads[thread])),
      ended: this.#last.ended,
      stale: all.filter((thread) => thread !== this.thread),
    }
  }
}
