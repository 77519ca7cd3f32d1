import { worksWaiting } from '../../../first-layer/running/drive.js'
import { usableMemory } from '../../process/usable-memory.js'
import { Admission, Ledger, ledgerMemory, type QueueWatcher } from './admission.js'

/** The share of usable memory that all requests together may hold where `MAX_BYTES_IN_FLIGHT` is not set. */
const SHARE_OF_MEMORY = 1 / 2

/** The variables that bound the load. */
export interface LoadVariables {
  /** Absent: half of the usable memory. */
  readonly MAX_BYTES_IN_FLIGHT?: number | undefined
  readonly MAX_QUEUE: number
  readonly QUEUE_TIMEOUT_MS: number
}

/** The most bytes that all requests may hold. */
export function maxBytesInFlight({
  MAX_BYTES_IN_FLIGHT,
}: Pick<LoadVariables, 'MAX_BYTES_IN_FLIGHT'>): number {
  return MAX_BYTES_IN_FLIGHT ?? Math.floor(usableMemory() * SHARE_OF_MEMORY)
}

/** The ledger of all threads, and the admission of one thread. */
export class Load {
  readonly ledger: Ledger
  readonly admission: Admission
  readonly maxBytesInFlight: number
  /** Requests of this thread whose answer has not ended. */
  openRequests = 0

  /** @param memory of the ledger, which all threads share; absent: the process has one thread */
  constructor(variables: LoadVariables, watcher: QueueWatcher, memory = ledgerMemory()) {
    const { MAX_QUEUE: maxQueue, QUEUE_TIMEOUT_MS: timeoutMs } = variables
    this.maxBytesInFlight = maxBytesInFlight(variables)
    this.ledger = new Ledger(memory, this.maxBytesInFlight)
    this.admission = new Admission(this.ledger, { maxQueue, timeoutMs }, watcher, worksWaiting)
  }
}
