import { worksWaiting } from '../../../first-layer/running/drive.js'
import { overloaded } from '../../answer/error-table.js'
import type { Config } from '../../process/config.js'
import { usableMemory } from '../../process/usable-memory.js'

/**
 * Kinds of requests for admission: `small` until it holds more than a small one does; `new` large; `begun`
 * once a large one has been admitted.
 */
export type Kind = 'small' | 'new' | 'begun'

/** The part of all bytes that only small requests may use; at most 65,536 pages (64 MiB). */
const SMALL_SHARE = 1 / 8
const MAX_SMALL_PAGES = 65_536
/** A large request begins only while at most this part of their room is taken: begun ones need the rest. */
const BEGIN_SHARE = 1 / 2
/**
 * A large request begins only while fewer short works than this share its thread's turns: with more, none would end
 * sooner. Long ones do not count: they would keep others out for as long as they run.
 */
export const MOST_WORKS = 2
/** How often waiting requests are looked through: other threads give room back too. */
const LOOK_MS = 5

interface Waiter {
  readonly pages: number
  readonly kind: Kind
  readonly since: number
  settle(error?: Error): void
}

export interface QueueWatcher {
  /** A request has left the queue after so many milliseconds: admitted, refused or ended. */
  waited(milliseconds: number): void
  refused(reason: 'queue_full' | 'queue_timeout'): void
}

export interface QueueLimits {
  readonly maxQueue: number
  readonly timeoutMs: number
}

/**
 * Admits the requests of one thread: takes pages from the ledger for a request, or lets it wait for a bounded
 * time in a bounded queue. Small requests go by those that wait, in a separate part of the room. Large
 * requests that have begun wait before those that have not, since they hold the memory that others wait for.
 */
export class Admission {
  readonly #waiters: Waiter[] = []
  /** The most pages that one request can hold. */
  readonly mostPages: number
  #look: NodeJS.Timeout | undefined

  /** @param works gives the number of works of this thread that wait for a turn now */
  constructor(
    private readonly ledger: Ledger,
    private readonly queue: QueueLimits,
    private readonly watcher: QueueWatcher,
    private readonly works: () => number,
  ) {
    this.mostPages = pagesForLarge(ledger.maxPages)
  }

  /** Takes pages at once if there is room and no large request would overtake a waiting one. @returns whether it has taken them */
  tryTake(pages: number, kind: Kind): boolean {
    return (kind !== 'new' || this.#waiters.length === 0) && this.#fits(pages, kind, this.works())
  }

  /**
   * Waits for room, and takes the pages.
   * @param register gets a function that ends the wait with an error (the client has left, the deadline passed)
   * @throws InletError `overloaded`: the queue is full, or the wait too long
   */
  wait(pages: number, kind: Kind, register: (stop: (error: Error) => void) => void): Promise<void> {
    const waiters = this.#waiters
    if (this.ledger.queued >= this.queue.maxQueue) {
      this.watcher.refused('queue_full')
      return Promise.reject(noRoom())
    }
    return new Promise((resolve, reject) => {
      const since = performance.now()
      const settle = (error?: Error) => {
        waiters.splice(waiters.indexOf(waiter), 1)
        this.ledger.countQueued(-1)
        this.watcher.waited(performance.now() - since)
        if (error === undefined) resolve()
        else reject(error)
      }
      const waiter: Waiter = { pages, kind, since, settle }
      const firstNew = waiters.findIndex((other) => other.kind === 'new')
      waiters.splice(kind === 'new' || firstNew < 0 ? waiters.length : firstNew, 0, waiter)
      this.ledger.countQueued(1)
      register((error) => {
        if (waiters.includes(waiter)) settle(error)
      })
      this.#look ??= setInterval(() => this.#admit(), LOOK_MS)
    })
  }

  /**
   * Admits waiting requests while there is room, first come, first served; refuses those that have waited too long. Of
   * those that have begun, one at a time: the others may go on with what it gives back.
   */
  #admit(): void {
    let works = this.works()
    let isFull = false
    let isFreed = false
    for (const { pages, kind, since, settle } of [...this.#waiters]) {
      if ((!isFull || kind === 'small') && this.#fits(pages, kind, works)) {
        if (kind === 'new') works++
        settle()
      } else if (performance.now() - since > this.queue.timeoutMs && !(kind === 'begun' && isFreed)) {
        isFreed ||= kind === 'begun'
        this.watcher.refused('queue_timeout')
        settle(noRoom())
      } else isFull = true
    }
    if (this.#waiters.length > 0) return
    clearInterval(this.#look)
    this.#look = undefined
  }

  #fits(pages: number, kind: Kind, works: number): boolean {
    if (kind === 'small') return this.ledger.take(pages, this.ledger.maxPages)
    if (kind === 'new' && (works >= MOST_WORKS || this.ledger.pages > this.mostPages * BEGIN_SHARE))
      return false
    return this.ledger.take(pages, this.mostPages)
  }
}

export function pagesForLarge(all: number): number {
  return all - Math.min(Math.floor(all * SMALL_SHARE), MAX_SMALL_PAGES)
}

function noRoom(): Error {
  return overloaded('There is no room for this request now.')
}

/** Bytes are counted in pages: an Int32 then counts up to 2 TiB. */
export const PAGE_BYTES = 1024

/** Pages that hold so many bytes: 1 → 1, 1025 → 2. */
export function pagesOf(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES)
}

/** Words of the shared memory: what all threads hold, how many requests wait, how many connections are open. */
const TOTAL = 0
const QUEUED = 1
const CONNECTIONS = 2
const WORDS = 3

export function ledgerMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT)
}

/**
 * Counts the memory that the requests of all threads hold, the waiting requests and the connections. Each thread
 * has a Ledger over the same memory. One atomic addition changes a count, so no thread ever waits for another.
 */
export class Ledger {
  readonly #words: Int32Array
  readonly maxPages: number

  constructor(memory: SharedArrayBuffer, maxBytes: number) {
    this.#words = new Int32Array(memory)
    this.maxPages = Math.floor(maxBytes / PAGE_BYTES)
  }

  get pages(): number {
    return Atomics.load(this.#words, TOTAL)
  }

  get bytes(): number {
    return this.pages * PAGE_BYTES
  }

  get queued(): number {
    return Atomics.load(this.#words, QUEUED)
  }

  get connections(): number {
    return Atomics.load(this.#words, CONNECTIONS)
  }

  /** Takes pages where all threads together then hold at most `limit` pages. @returns whether it has taken them */
  take(pages: number, limit: number): boolean {
    if (Atomics.add(this.#words, TOTAL, pages) + pages > limit) {
      Atomics.sub(this.#words, TOTAL, pages)
      return false
    }
    return true
  }

  give(pages: number): void {
    Atomics.sub(this.#words, TOTAL, pages)
  }

  /** Counts one waiting request more (or, with −1, fewer). */
  countQueued(change: 1 | -1): void {
    Atomics.add(this.#words, QUEUED, change)
  }

  /** Counts one connection more (or, with −1, fewer). @returns how many there were before, in all threads */
  countConnection(change: 1 | -1): number {
    return Atomics.add(this.#words, CONNECTIONS, change)
  }
}

/** The share of usable memory that all requests together may hold where `MAX_BYTES_IN_FLIGHT` is not set. */
const SHARE_OF_MEMORY = 1 / 2

export function maxBytesInFlight(config: Pick<Config, 'MAX_BYTES_IN_FLIGHT'>): number {
  return config.MAX_BYTES_IN_FLIGHT ?? Math.floor(usableMemory() * SHARE_OF_MEMORY)
}

export class Load {
  readonly ledger: Ledger
  readonly admission: Admission
  readonly maxBytesInFlight: number
  /** Requests of this thread whose answer has not ended. */
  openRequests = 0

  /** @param memory of the ledger, which all threads share; absent: the process has one thread */
  constructor(config: Config, watcher: QueueWatcher, memory = ledgerMemory()) {
    const { MAX_QUEUE: maxQueue, QUEUE_TIMEOUT_MS: timeoutMs } = config
    this.maxBytesInFlight = maxBytesInFlight(config)
    this.ledger = new Ledger(memory, this.maxBytesInFlight)
    this.admission = new Admission(this.ledger, { maxQueue, timeoutMs }, watcher, worksWaiting)
  }
}
