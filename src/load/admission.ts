import { type Ledger, PAGE_BYTES } from './ledger.js'
import { overloaded } from './refusals.js'

/**
 * How much room a request may use. Small ones find room where large ones have to wait; small ones that turn out to be
 * long work wait for a place among those that share the turns.
 */
export type Size = 'small' | 'long-small' | 'large' | 'new-large'

/** The part of all bytes that only small requests may use, and the most that this is, in pages (64 MiB). */
const SMALL_SHARE = 1 / 8
const MAX_SMALL_PAGES = 65_536
/** Large requests begin only while this part is free of them: those that have begun need room to go on. */
const BEGIN_SHARE = 1 / 2
/**
 * Works that may share the turns of one thread when another one begins: with more, none would end sooner. Small ones
 * that take long find places where large ones have all of theirs.
 */
export const MOST_WORKS = { 'new-large': 3, 'long-small': 24 } as const
const MOST: Readonly<Partial<Record<Size, number>>> = MOST_WORKS
/** Who would wait for longer than this share of the time-out is refused at once: a guess may be wrong. */
const SURE_SHARE = 1 / 3
/** How often who waits looks whether another thread has given something back. */
const LOOK_MS = 5
/** What left a line longer ago than this says little about its pace, in milliseconds. */
const PACE_MS = 1000

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

/** Those that wait in one line, and the pace at which they leave it. */
class Line {
  readonly waiters: Waiter[] = []
  #lastLeft = 0
  #left = 0
  #milliseconds = 0

  /** Notes that the first one leaves. Several may leave at once: what counts is how many in how long. */
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

  /** Milliseconds until one behind so many others would be let in, by the pace of the last ones. */
  expectedWait(before: number): number {
    return this.#left === 0 ? 0 : (before * this.#milliseconds) / this.#left
  }

  /** Nobody waits: the time until the next one leaves is no pace. */
  rest(): void {
    this.#lastLeft = 0
  }
}

/**
 * The door of one thread: takes pages from the ledger for those that ask, or lets them wait for a bounded time in a
 * bounded queue. Small requests have a queue of their own and part of the room, so that they never wait behind large
 * ones; large ones that have begun go before those that have not, since they hold what the others wait for.
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

  /** @param works how many works of this thread wait for a turn now */
  constructor(
    private readonly ledger: Ledger,
    private readonly queue: QueueLimits,
    private readonly watcher: QueueWatcher,
    private readonly works: () => number,
  ) {
    const all = ledger.maxPages
    const large = all - Math.min(Math.floor(all * SMALL_SHARE), MAX_SMALL_PAGES)
    this.#limits = { small: all, 'long-small': all, large, 'new-large': large }
    this.#beginsBelow = Math.floor(large * BEGIN_SHARE) * PAGE_BYTES
  }

  /** Pages that one request can ever hold. */
  get mostPages(): number {
    return this.#limits.large
  }

  /** Takes pages at once, where there is room and nobody waits who was here before. */
  tryTake(pages: number, size: Size): boolean {
    if (size !== 'large' && this.#lineOf(size).waiters.length > 0) return false
    return this.#fits(pages, size)
  }

  /**
   * Waits for room.
   *
   * @param register told what ends the wait from outside: the caller has left, its time is over
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

  /** Lets in all for whom there is room, and refuses who has waited too long. */
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

  /** Works that were let in a moment ago: they do not wait for a turn yet. */
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

function refusal(line: Line, before: number): Error {
  return overloaded('There is no room for this request now.', line.expectedWait(before + 1))
}

/** How many at the head of the line have begun. */
function countBegun(waiters: readonly Waiter[]): number {
  const first = waiters.findIndex(({ size }) => size !== 'large')
  return first < 0 ? waiters.length : first
}
