import { type Ledger, PAGE_BYTES } from './ledger.js'
import { overloaded } from './refusals.js'

/**
 * Classes of requests for admission. A part of the memory is for small requests only. A small request that turns
 * out to be long work (`long-small`) waits for a place among the works that share the turns. A large request is
 * `new-large` until it has begun.
 */
export type Size = 'small' | 'long-small' | 'large' | 'new-large'

/** The part of all bytes that only small requests may use; at most 65,536 pages (64 MiB). */
const SMALL_SHARE = 1 / 8
const MAX_SMALL_PAGES = 65_536
/** A large request begins only while at most this part of their room is taken: begun ones need the rest. */
const BEGIN_SHARE = 1 / 2
/**
 * A work begins only while fewer than so many share the turns of its thread: with more, none would end sooner. The
 * number for small requests is greater, so that they find places where large ones have taken all of theirs.
 */
export const MOST_WORKS = { 'new-large': 3, 'long-small': 24 } as const
const MOST: Readonly<Partial<Record<Size, number>>> = MOST_WORKS
/**
 * A request is refused at once where its expected wait is longer than this share of the time-out. The share is
 * small because the expected wait is a guess: a request that is let into the queue should not time out there.
 */
const SURE_SHARE = 1 / 3
/** How often a thread with a queue checks whether another thread has given memory back. */
const LOOK_MS = 5
/** Departures count for the pace of a line with a weight that falls by a factor e in so many milliseconds. */
const PACE_MS = 1000

interface Waiter {
  readonly pages: number
  readonly size: Size
  readonly since: number
  settle(error?: Error): void
}

/** Called by the queue, for metrics. */
export interface QueueWatcher {
  /** A request has left the queue after so many milliseconds: it goes on, was refused, or has ended. */
  waited(milliseconds: number): void
  refused(reason: 'queue_full' | 'queue_timeout'): void
}

export interface QueueLimits {
  /** How many requests of the process may wait at once. */
  readonly maxQueue: number
  readonly timeoutMs: number
}

/** The requests that wait in one line, and the pace at which they leave it. */
class Line {
  readonly waiters: Waiter[] = []
  #lastLeft = 0
  #left = 0
  #milliseconds = 0

  /** Notes that the first request leaves. Several may leave at once, so the pace is a number divided by a time. */
  left(): void {
    const now = performance.now()
    if (this.#lastLeft > 0) {
      const passed = now - this.#lastLeft
      const kept = Math.exp(-passed / PACE_MS)
      this.#left = this.#left * kept + 1
      this.#milliseconds = this.#milliseconds * kept + passed
    }
    this.#lastLeft = now
  }

  /** Milliseconds that a request behind `before` others would wait, at the pace of the last departures. */
  expectedWait(before: number): number {
    return this.#left === 0 ? 0 : (before * this.#milliseconds) / this.#left
  }

  /** Notes that the line is empty: the time from now to the next departure must not count for the pace. */
  rest(): void {
    this.#lastLeft = 0
  }
}

/**
 * Admits the requests of one thread: takes pages from the ledger for a request, or lets it wait for a bounded
 * time in a bounded queue. Small requests have their own queue and a part of the room, so that they never wait
 * behind large ones. Large requests that have begun go before those that have not, since they hold the memory
 * that others wait for.
 */
export class Admission {
  readonly #small = new Line()
  readonly #longSmall = new Line()
  readonly #large = new Line()
  readonly #lines = [this.#small, this.#longSmall, this.#large] as const
  readonly #limits: Readonly<Record<Size, number>>
  readonly #beginsBelow: number
  #look: NodeJS.Timeout | undefined
  #begun = 0
  #begunSince = 0

  /** @param works gives the number of works of this thread that wait for a turn now */
  constructor(
    private readonly ledger: Ledger,
    private readonly queue: QueueLimits,
    private readonly watcher: QueueWatcher,
    private readonly works: () => number,
  ) {
    const all = ledger.maxPages
    const large = pagesForLarge(all)
    this.#limits = { small: all, 'long-small': all, large, 'new-large': large }
    this.#beginsBelow = Math.floor(large * BEGIN_SHARE) * PAGE_BYTES
  }

  /** The most pages that one request can hold. */
  get mostPages(): number {
    return this.#limits.large
  }

  /** Takes pages at once, where there is room and no earlier request waits. @returns whether it has taken them */
  tryTake(pages: number, size: Size): boolean {
    if (size !== 'large' && this.#lineOf(size).waiters.length > 0) return false
    return this.#fits(pages, size)
  }

  /**
   * Waits for room, and takes the pages.
   *
   * @param register gets a function that ends the wait with an error (the client has left, the deadline passed)
   * @throws InletError `overloaded`: the queue is full, or the wait is or would be too long
   */
  wait(pages: number, size: Size, register: (stop: (error: Error) => void) => void): Promise<void> {
    const line = this.#lineOf(size)
    const { waiters } = line
    const before = size === 'large' ? countBegun(waiters) : waiters.length
    if (
      this.ledger.queued >= this.queue.maxQueue ||
      line.expectedWait(before) > this.queue.timeoutMs * SURE_SHARE
    ) {
      this.watcher.refused('queue_full')
      return Promise.reject(refusal(line, before))
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        pages,
        size,
        since: performance.now(),
        settle: (error) => {
          waiters.splice(waiters.indexOf(waiter), 1)
          this.ledger.countQueued(-1)
          this.watcher.waited(performance.now() - waiter.since)
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      waiters.splice(before, 0, waiter)
      this.ledger.countQueued(1)
      register((error) => {
        if (waiters.includes(waiter)) waiter.settle(error)
      })
      this.#look ??= setInterval(() => this.admit(), LOOK_MS)
    })
  }

  give(pages: number): void {
    this.ledger.give(pages)
    if (this.#look !== undefined) this.admit()
  }

  /** A work that was let in at this time has ended: it shares no turns, and its place is free. */
  workEnded(letIn: number): void {
    if (letIn >= this.#begunSince && this.#begun > 0) this.#begun--
  }

  /** Lets in all waiting requests that there is room for, and refuses those that have waited too long. */
  admit(): void {
    let isEmpty = true
    for (const line of this.#lines) {
      const { waiters } = line
      while (waiters.length > 0 && this.#fits(waiters[0].pages, waiters[0].size)) {
        line.left()
        waiters[0].settle()
      }
      const now = performance.now()
      for (const waiter of waiters.filter(({ since }) => now - since > this.queue.timeoutMs)) {
        this.watcher.refused('queue_timeout')
        waiter.settle(refusal(line, waiters.length))
      }
      if (waiters.length === 0) line.rest()
      else isEmpty = false
    }
    if (!isEmpty) return
    clearInterval(this.#look)
    this.#look = undefined
  }

  #fits(pages: number, size: Size): boolean {
    const most = MOST[size]
    if (most !== undefined && this.works() + this.#justBegun() >= most) return false
    if (size === 'new-large' && this.ledger.bytes > this.#beginsBelow) return false
    if (!this.ledger.take(pages, this.#limits[size])) return false
    if (most !== undefined) this.#begun++
    return true
  }

  /** How many works were let in during the last {@link LOOK_MS} and have not ended: `works` does not count them yet. */
  #justBegun(): number {
    const now = performance.now()
    if (now - this.#begunSince > LOOK_MS) {
      this.#begunSince = now
      this.#begun = 0
    }
    return this.#begun
  }

  #lineOf(size: Size): Line {
    if (size === 'small') return this.#small
    return size === 'long-small' ? this.#longSmall : this.#large
  }
}

/** How many of all pages are not for small requests only. */
export function pagesForLarge(all: number): number {
  return all - Math.min(Math.floor(all * SMALL_SHARE), MAX_SMALL_PAGES)
}

function refusal(line: Line, before: number): Error {
  return overloaded('There is no room for this request now.', line.expectedWait(before + 1))
}

/** How many requests at the head of the line have begun. */
function countBegun(waiters: readonly Waiter[]): number {
  const first = waiters.findIndex(({ size }) => size !== 'large')
  return first < 0 ? waiters.length : first
}
