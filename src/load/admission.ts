import { type Ledger, PAGE_BYTES } from './ledger.js'
import { overloaded } from './refusals.js'

/** How much room a request may use. Small ones find room where large ones have to wait. */
export type Size = 'small' | 'large' | 'new-large'

/** The part of all bytes that only small requests may use, and the most that this is, in pages (64 MiB). */
const SMALL_SHARE = 1 / 8
const MAX_SMALL_PAGES = 65_536
/** Large requests begin only while this part is free of them: those that have begun need room to go on. */
const BEGIN_SHARE = 1 / 2
/** How often who waits looks whether another thread has given something back. */
const LOOK_MS = 5
/** Weight of the newest interval between two that leave the queue. */
const NEWEST = 0.2

interface Waiter {
  readonly pages: number
  readonly size: Size
  readonly since: number
  settle(error?: Error): void
}

/** What the queue tells of itself. */
export interface QueueWatcher {
  /** A request has waited so long, and then went on or was refused. */
  waited(milliseconds: number): void
  refused(reason: 'queue_full' | 'queue_timeout'): void
}

export interface QueueLimits {
  /** Requests of the process that may wait. */
  readonly maxQueue: number
  readonly timeoutMs: number
}

/**
 * The door of one thread: takes pages from the ledger for those that ask, or lets them wait for a bounded time in a
 * bounded queue. Small requests have a queue of their own and part of the room, so that they never wait behind large
 * ones; large ones that have begun go before those that have not, since they hold what the others wait for.
 */
export class Admission {
  readonly #small: Waiter[] = []
  readonly #large: Waiter[] = []
  readonly #limits: Readonly<Record<Size, number>>
  readonly #beginsBelow: number
  #look: NodeJS.Timeout | undefined
  #lastLeft = 0
  #millisecondsApart = 0

  /** @param isBusy whether this thread has enough large works to share its turns among */
  constructor(
    private readonly ledger: Ledger,
    private readonly queue: QueueLimits,
    private readonly watcher: QueueWatcher,
    private readonly isBusy: () => boolean,
  ) {
    const all = ledger.maxPages
    const large = all - Math.min(Math.floor(all * SMALL_SHARE), MAX_SMALL_PAGES)
    this.#limits = { small: all, large, 'new-large': large }
    this.#beginsBelow = Math.floor(large * BEGIN_SHARE) * PAGE_BYTES
  }

  /** Pages that one request can ever hold. */
  get mostPages(): number {
    return this.#limits.large
  }

  /** Takes pages at once, where there is room and nobody waits who was here before. */
  tryTake(pages: number, size: Size): boolean {
    if ((size === 'small' ? this.#small : this.#large).length > 0 && size !== 'large') return false
    return this.#fits(pages, size)
  }

  /**
   * Waits for room.
   *
   * @param register told what ends the wait from outside: the caller has left, its time is over
   * @throws InletError `overloaded`: the queue is full, or the wait is or would be too long
   */
  wait(pages: number, size: Size, register: (stop: (error: Error) => void) => void): Promise<void> {
    const line = size === 'small' ? this.#small : this.#large
    const before = size === 'large' ? countBegun(line) : line.length
    if (this.ledger.queued >= this.queue.maxQueue || this.#expectedWait(before) > this.queue.timeoutMs) {
      this.watcher.refused('queue_full')
      return Promise.reject(this.#refusal(before))
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        pages,
        size,
        since: performance.now(),
        settle: (error) => {
          line.splice(line.indexOf(waiter), 1)
          this.ledger.countQueued(-1)
          this.watcher.waited(performance.now() - waiter.since)
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      line.splice(before, 0, waiter)
      this.ledger.countQueued(1)
      register((error) => {
        if (line.includes(waiter)) waiter.settle(error)
      })
      this.#look ??= setInterval(() => this.admit(), LOOK_MS)
    })
  }

  give(pages: number): void {
    this.ledger.give(pages)
    if (this.#look !== undefined) this.admit()
  }

  /** Lets in all for whom there is room, and refuses who has waited too long. */
  admit(): void {
    for (const line of [this.#small, this.#large]) {
      while (line.length > 0 && this.#fits(line[0].pages, line[0].size)) {
        this.#left()
        line[0].settle()
      }
      const now = performance.now()
      for (const waiter of line.filter(({ since }) => now - since > this.queue.timeoutMs)) {
        this.watcher.refused('queue_timeout')
        waiter.settle(this.#refusal(line.length))
      }
    }
    if (this.#small.length + this.#large.length > 0) return
    clearInterval(this.#look)
    this.#look = undefined
    this.#lastLeft = 0
  }

  #fits(pages: number, size: Size): boolean {
    if (size === 'new-large' && (this.ledger.bytes > this.#beginsBelow || this.isBusy())) return false
    return this.ledger.take(pages, this.#limits[size])
  }

  /** Notes the pace at which requests leave the queue. */
  #left(): void {
    const now = performance.now()
    if (this.#lastLeft > 0) {
      this.#millisecondsApart += (now - this.#lastLeft - this.#millisecondsApart) * NEWEST
    }
    this.#lastLeft = now
  }

  /** Milliseconds until one behind so many others would be let in, by the pace of the last ones. */
  #expectedWait(before: number): number {
    return before * this.#millisecondsApart
  }

  #refusal(before: number): Error {
    return overloaded('There is no room for this request now.', this.#expectedWait(before + 1))
  }
}

/** How many at the head of the line have begun. */
function countBegun(line: readonly Waiter[]): number {
  const first = line.findIndex(({ size }) => size !== 'large')
  return first < 0 ? line.length : first
}
