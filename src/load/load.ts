import type { Config } from '../config.js'
import { Admission, type QueueWatcher } from './admission.js'
import { Ledger, ledgerMemory } from './ledger.js'
import { usableMemory } from './usable-memory.js'

/** The bytes that all requests together may hold, in the absence of `MAX_BYTES_IN_FLIGHT`. */
const SHARE_OF_MEMORY = 1 / 2

/** Whose load is counted together: the threads of a process, over one memory. */
export interface SharedLoad {
  readonly memory: SharedArrayBuffer
  /** Counts from 0. */
  readonly thread: number
}

/** What one thread keeps of the work that it and its siblings have in hand. */
export class Load {
  readonly ledger: Ledger
  readonly admission: Admission
  readonly maxBytesInFlight: number

  /**
   * @param works how many works of this thread wait for a turn now
   * @param shared absent: this thread is alone
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
