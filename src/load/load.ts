import type { Config } from '../config.js'
import { Admission, type QueueWatcher } from './admission.js'
import { Ledger, ledgerMemory } from './ledger.js'
import { usableMemory } from './usable-memory.js'

/** The share of usable memory that all requests together may hold where `MAX_BYTES_IN_FLIGHT` is not set. */
const SHARE_OF_MEMORY = 1 / 2

/** Lets the threads of a process count their load together, in one memory. */
export interface SharedLoad {
  readonly memory: SharedArrayBuffer
  /** The thread's number, from 0. */
  readonly thread: number
}

/** The ledger of all threads, and the admission of one thread. */
export class Load {
  readonly ledger: Ledger
  readonly admission: Admission
  readonly maxBytesInFlight: number

  /**
   * @param works gives the number of works of this thread that wait for a turn now
   * @param shared absent: the process has one thread
   */
  constructor(
    config: Pick<Config, 'MAX_BYTES_IN_FLIGHT' | 'MAX_QUEUE' | 'QUEUE_TIMEOUT_MS'>,
    watcher: QueueWatcher,
    works: () => number,
    shared: SharedLoad = { memory: ledgerMemory(1), thread: 0 },
  ) {
    this.maxBytesInFlight = maxBytesInFlight(config)
    this.ledger = new Ledger(shared.memory, shared.thread, this.maxBytesInFlight)
    const queue = { maxQueue: config.MAX_QUEUE, timeoutMs: config.QUEUE_TIMEOUT_MS }
    this.admission = new Admission(this.ledger, queue, watcher, works)
  }
}

export function maxBytesInFlight({ MAX_BYTES_IN_FLIGHT }: Pick<Config, 'MAX_BYTES_IN_FLIGHT'>): number {
  return MAX_BYTES_IN_FLIGHT ?? Math.floor(usableMemory() * SHARE_OF_MEMORY)
}
