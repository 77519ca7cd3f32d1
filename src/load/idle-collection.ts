import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { collectGarbage, collectYoung } from '../first-layer/collect-garbage.js'
import type { Ledger } from './ledger.js'

/** How often a thread checks whether it is at rest, in milliseconds. */
export const LOOK_MS = 1000
/** A thread runs the collector after so many checks in a row have found it at rest. */
const LOOKS = 2
/** A thread is at rest while its requests hold at most so many bytes: small requests come and go all the time. */
const SMALL_BYTES = 1 << 20
/**
 * … and while it works for at most this share of the time. Texts of 100 KB one after the other hold less than that at any
 * moment, and V8 collects for them by itself; our collection would have it forget code that they run.
 */
const SMALL_SHARE = 0.25
/** The collector runs only if memory outside the heap has grown by so many bytes since its last run: 16 MiB. */
const WORTH_BYTES = 1 << 24
/** Beyond so many bytes of dropped tables, the collector runs without waiting for rest: 256 MiB. */
const MOST_TABLE_BYTES = 1 << 28

/** A thread's memory and its collector. */
export interface Collector {
  /** Bytes outside the heap that V8 counts. */
  externalBytes(): number
  /** The share of the time since the last call in which the thread's event loop had work. */
  busyShare(): number
  /** Collects what is new: bodies and answers of requests that have ended, as a rule. */
  collectYoung(): void
  /** Collects everything. V8 then forgets the shapes of objects of which there are none, and the code that knows them. */
  collect(): void
}

/**
 * Gives memory back to the system that one thread has dropped. V8 runs its collector when code allocates memory, and
 * a thread at rest allocates none; so this class runs it.
 */
export class IdleCollection {
  /** Bytes of tables that this thread has dropped since the collector ran last; V8 does not count them. */
  #tableBytes = 0

  constructor(private readonly collector: Collector = new V8Collector()) {}

  /**
   * Notes that this thread has dropped tables of so many bytes. The system gets their memory back only after the
   * collector of every thread has run, and V8 runs none for it, since V8 does not count that memory.
   */
  letTablesGo(bytes: number): void {
    this.#tableBytes += bytes
    if (this.#tableBytes <= MOST_TABLE_BYTES) return
    setImmediate(() => {
      if (this.#tableBytes > MOST_TABLE_BYTES) this.#collect() // after the work that dropped them
    })
  }

  /** Runs the collector now where this thread has dropped tables; for a thread that has nothing else to do. */
  tidyTables(): void {
    if (this.#tableBytes > 0) this.#collect()
  }

  /**
   * Gives the memory of large requests back after they have ended. Where the new objects do not hold it, the collector runs
   * twice, some ten milliseconds each: objects with finalizers that the first run finds are freed by the second.
   *
   * @param letGo drops the buffers that this thread keeps for later requests
   * @returns stops the checks
   */
  watch(ledger: Pick<Ledger, 'ownBytes'>, letGo: () => void): () => void {
    let looks = 0
    let isAgain = false
    let left = this.collector.externalBytes()
    const isWorth = () => this.#tableBytes + this.collector.externalBytes() - left >= WORTH_BYTES
    const look = setInterval(() => {
      const isBusy = this.collector.busyShare() > SMALL_SHARE
      looks = isBusy || ledger.ownBytes > SMALL_BYTES ? 0 : looks + 1
      if (looks < LOOKS) return
      if (isAgain) {
        this.#collect()
        left = this.collector.externalBytes()
        isAgain = false
        return
      }
      if (isWorth()) this.collector.collectYoung()
      if (!isWorth()) return
      letGo()
      this.#collect()
      isAgain = true
    }, LOOK_MS)
    look.unref()
    return () => clearInterval(look)
  }

  #collect(): void {
    this.#tableBytes = 0
    this.collector.collect()
  }
}

/** The collector of the thread that runs this. */
class V8Collector implements Collector {
  #before = performance.eventLoopUtilization()

  externalBytes(): number {
    return getHeapStatistics().external_memory // process.memoryUsage reads a file, which may fail
  }

  busyShare(): number {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.#before)
    this.#before = now
    return utilization
  }

  collectYoung(): void {
    collectYoung()
  }

  collect(): void {
    collectGarbage()
  }
}
