/** Bytes are counted in pages: an Int32 then counts up to 2 TiB. */
export const PAGE_BYTES = 1024

/** Pages that hold so many bytes: 1 → 1, 1025 → 2. */
export function pagesOf(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES)
}

/** Words of the shared memory: what all threads hold, how many requests wait, how many connections and sockets are open. */
const TOTAL = 0
const QUEUED = 1
const CONNECTIONS = 2
const SOCKETS = 3
/** Then, for each thread: the pages it holds, its requests that wait, its connections, its sockets. */
const THREAD_WORDS = 4
/** The most sockets that may be open. */
const MAX_SOCKETS = 4
const SHARED_WORDS = 5

/**
 * Memory for the ledger of a process with so many threads. It can be posted to them.
 *
 * @param maxSockets most sockets of callers at once, in all threads
 */
export function ledgerMemory(threads: number, maxSockets = 2 ** 31 - 1): SharedArrayBuffer {
  const words = SHARED_WORDS + threads * THREAD_WORDS
  const memory = new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT)
  new Int32Array(memory)[MAX_SOCKETS] = maxSockets
  return memory
}

/**
 * Counts the memory that the requests of all threads hold, the waiting requests and the connections. Each thread
 * has a Ledger over the same memory. Two atomic additions change a count, so no thread ever waits for another.
 */
export class Ledger {
  readonly #words: Int32Array
  readonly #own: number
  readonly maxPages: number

  /** @param thread from 0 */
  constructor(memory: SharedArrayBuffer, thread: number, maxBytes: number) {
    this.#words = new Int32Array(memory)
    this.#own = wordsOf(thread)
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

  /** Whether there are more sockets than there may be. */
  get hasTooManySockets(): boolean {
    return Atomics.load(this.#words, SOCKETS) > this.#words[MAX_SOCKETS]
  }

  /** Takes pages where all threads together then hold at most `limit` pages. @returns whether it has taken them */
  take(pages: number, limit: number): boolean {
    if (Atomics.add(this.#words, TOTAL, pages) + pages > limit) {
      Atomics.sub(this.#words, TOTAL, pages)
      return false
    }
    Atomics.add(this.#words, this.#own, pages)
    return true
  }

  give(pages: number): void {
    this.#add(TOTAL, -pages)
  }

  /** Counts one waiting request more (or, with −1, fewer). */
  countQueued(change: 1 | -1): void {
    this.#add(QUEUED, change)
  }

  /** Counts one connection more (or, with −1, fewer). @returns how many there were before, in all threads */
  countConnection(change: 1 | -1): number {
    return this.#add(CONNECTIONS, change)
  }

  /** Counts one socket more (or, with −1, fewer), whether it becomes a connection or not. */
  countSocket(change: 1 | -1): void {
    this.#add(SOCKETS, change)
  }

  #add(word: number, change: number): number {
    Atomics.add(this.#words, this.#own + word, change)
    return Atomics.add(this.#words, word, change)
  }
}

/** Subtracts the counts of a thread that has ended. */
export function forgetThread(memory: SharedArrayBuffer, thread: number): void {
  const words = new Int32Array(memory)
  for (const word of [TOTAL, QUEUED, CONNECTIONS, SOCKETS]) {
    Atomics.sub(words, word, Atomics.exchange(words, wordsOf(thread) + word, 0))
  }
}

/** Index of a thread's first word; its words have the order of the shared ones. */
function wordsOf(thread: number): number {
  return SHARED_WORDS + thread * THREAD_WORDS
}
