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

/** Memory for the ledger of a process. It can be posted to its threads. */
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

  /** Pages that all threads hold. */
  get pages(): number {
    return Atomics.load(this.#words, TOTAL)
  }

  /** Bytes that all threads hold. */
  get bytes(): number {
    return this.pages * PAGE_BYTES
  }

  /** Requests of all threads that wait for room. */
  get queued(): number {
    return Atomics.load(this.#words, QUEUED)
  }

  /** Open connections of all threads. */
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
