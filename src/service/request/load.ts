import { usableMemory } from '../../models/usable-memory.js'
import { overloaded } from '../answer/error-table.js'
import type { Config } from '../process/config.js'
import { worksWaiting } from '../process/turn.js'

/**
 * What a request is for the permit: `small` until it holds more than a small one does; `new` while it waits to hold more
 * than that; `begun` from then on.
 */
export type Stage = 'small' | 'new' | 'begun'

/** The share of usable memory that all requests together may hold where `MAX_BYTES_IN_FLIGHT` is not set. */
const SHARE_OF_MEMORY = 1 / 2
/** The part of all bytes that only small requests may hold; at most 64 MiB. */
const SMALL_SHARE = 1 / 8
const MAX_SMALL_SHARE_BYTES = 1 << 26
/** A large request begins only while at most this part of their room is held: begun ones need the rest. */
const BEGIN_SHARE = 1 / 2
/**
 * A large request begins only while fewer short works than this share its thread's turns: with more, none would end
 * sooner. Long ones do not count: they would keep others out for as long as they run.
 */
export const MOST_WORKS = 2
/** How often waiting requests are looked through: other threads give room back too. */
const LOOK_MS = 5

/** A request that waits for bytes. */
interface Waiter {
  readonly bytes: number
  readonly stage: Stage
  readonly since: number
  leave(error?: Error): void
}

export interface QueueWatcher {
  /** A request has left the queue after so many milliseconds: admitted, refused or ended. */
  waited(milliseconds: number): void
  refused(reason: 'queue_full' | 'queue_timeout'): void
}

/** The ledger, which all threads share: bytes that requests hold, requests that wait, open connections. */
const BYTES = 0
export const QUEUED = 1
export const CONNECTIONS = 2

export function ledgerMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(3 * BigInt64Array.BYTES_PER_ELEMENT)
}

/**
 * The permit of all requests: bytes, of which a share is kept for small requests, and a bounded queue of those for which
 * there is no room now. Each thread has a Load over the same ledger; an atomic addition changes a count, so that no thread
 * waits for another.
 */
export class Load {
  readonly maxBytes: number
  /** The most bytes that one request can hold. */
  readonly mostBytes: number
  /** Requests of this thread whose answer has not ended. */
  openRequests = 0
  readonly #counts: BigInt64Array
  readonly #waiters: Waiter[] = []
  #look: NodeJS.Timeout | undefined

  /**
   * @param memory which all threads share; absent: the process has one thread
   * @param works gives the number of short works of this thread that wait for a turn now
   */
  constructor(
    private readonly config: Pick<Config, 'MAX_BYTES_IN_FLIGHT' | 'MAX_QUEUE' | 'QUEUE_TIMEOUT_MS'>,
    private readonly watcher: QueueWatcher,
    memory = ledgerMemory(),
    private readonly works = worksWaiting,
  ) {
    this.#counts = new BigInt64Array(memory)
    this.maxBytes = maxBytesInFlight(config)
    this.mostBytes = this.maxBytes - Math.min(Math.floor(this.maxBytes * SMALL_SHARE), MAX_SMALL_SHARE_BYTES)
  }

  get bytes(): number {
    return this.count(BYTES)
  }

  /** Changes a count. @param place {@link QUEUED}, {@link CONNECTIONS} @returns it, of all threads */
  count(place: number, change = 0): number {
    return Number(Atomics.add(this.#counts, place, BigInt(change))) + change
  }

  /**
   * Takes bytes at once if there is room and no large request would overtake a waiting one.
   * @param most taken in their place where there is room for so many
   * @returns how many it has taken: 0 where there is no room
   * @throws InletError `overloaded` where they cannot be waited for either: the queue is full
   */
  take(bytes: number, stage: Stage, most = bytes): number {
    if (stage !== 'new' || this.#waiters.length === 0) {
      if (this.#takes(most, stage)) return most
      if (most > bytes && this.#takes(bytes, stage)) return bytes
    }
    if (this.count(QUEUED) < this.config.MAX_QUEUE) return 0
    this.watcher.refused('queue_full')
    throw noRoom()
  }

  give(bytes: number): void {
    this.count(BYTES, -bytes)
  }

  /**
   * Lets a request wait for bytes in the queue.
   * @param done called once it has them, or with `overloaded`: the queue is full, or the wait too long
   * @returns a function that ends the wait, and calls `done`, with an error
   */
  wait(bytes: number, stage: Stage, done: (error?: Error) => void): (error: Error) => void {
    const since = performance.now()
    const leave = (error?: Error) => {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
      this.count(QUEUED, -1)
      this.watcher.waited(performance.now() - since)
      done(error)
    }
    const waiter = { bytes, stage, since, leave }
    this.#waiters.push(waiter)
    this.count(QUEUED, 1)
    this.#look ??= setInterval(() => this.#admit(), LOOK_MS)
    return leave
  }

  /** Admits those that wait while there is room, and refuses those that have waited too long. */
  #admit(): void {
    const now = performance.now()
    let isFull = false
    let begun = 0
    let isFreed = false
    for (const { bytes, stage, since, leave } of this.#waiters.toSorted(byStage)) {
      if (!isFull && this.#takes(bytes, stage, begun)) {
        if (stage === 'new') begun++
        leave()
      } else if (now - since > this.config.QUEUE_TIMEOUT_MS && !(stage === 'begun' && isFreed)) {
        isFreed ||= stage === 'begun' // the others that have begun may go on with what it held
        this.watcher.refused('queue_timeout')
        leave(noRoom())
      } else isFull = true
    }
    if (this.#waiters.length > 0) return
    clearInterval(this.#look)
    this.#look = undefined
  }

  /** @param begun large requests that have just begun, and do not wait for a turn yet */
  #takes(bytes: number, stage: Stage, begun = 0): boolean {
    const mayBegin = () => this.works() + begun < MOST_WORKS && this.bytes <= this.mostBytes * BEGIN_SHARE
    if (stage === 'new' && !mayBegin()) return false
    if (this.count(BYTES, bytes) <= (stage === 'small' ? this.maxBytes : this.mostBytes)) return true
    this.give(bytes)
    return false
  }
}

/** Small requests pass the others, and large ones that have begun those that have not: they hold what others wait for. */
const RANK: Readonly<Record<Stage, number>> = { small: 0, begun: 1, new: 2 }
const byStage = (a: Waiter, b: Waiter) => RANK[a.stage] - RANK[b.stage]

function noRoom(): Error {
  return overloaded('There is no room for this request now.')
}

export function maxBytesInFlight(config: Pick<Config, 'MAX_BYTES_IN_FLIGHT'>): number {
  return config.MAX_BYTES_IN_FLIGHT ?? Math.floor(usableMemory() * SHARE_OF_MEMORY)
}
