/** Indices of the process's words, of 32 bits. */
const STOPPING = 0
const LOG_OWNER = 1
/** The process's words, then a slot for each thread. No two share a cache line: every request writes to a slot. */
const HEADER_BYTES = 64
const SLOT_BYTES = 192
/** Indices within a thread's slot, in words. */
const BEATS = 0
const SILENT = 1
const ROUTE = 2
const ID_LENGTH = 3
const OPEN_REQUESTS = 4
/** Start of the request id in a slot, and its greatest length, in bytes (src/http/lifetime/request-id.ts). */
const ID = 64
const ID_BYTES = 128

/** The request that began last in a thread. */
export interface Running {
  /** The route's pattern, `/v1/models/:model`. */
  readonly route: string
  readonly reqId: string
}

/**
 * The state of each thread, in memory that all threads of the process share. A thread can read the state of one
 * that hangs, where a message would wait for an answer. Each thread has its own `Liveness` over the one buffer.
 */
export class Liveness {
  readonly #words: Int32Array
  readonly #bytes: Buffer
  /** This thread's slot, in words and in bytes. */
  readonly #slot: number
  readonly #id: number
  /** All threads declare the same routes in the same order, so an index means the same route in each. */
  readonly #routes = ['']

  /** @param thread 0 is the process's first one */
  constructor(
    readonly shared: SharedArrayBuffer,
    readonly thread: number,
  ) {
    this.#words = new Int32Array(shared)
    this.#bytes = Buffer.from(shared)
    this.#slot = slotOf(thread)
    this.#id = 4 * this.#slot + ID
  }

  /** For a process of one thread, or the first of several. */
  static first(threads = 1): Liveness {
    return new Liveness(new SharedArrayBuffer(HEADER_BYTES + threads * SLOT_BYTES), 0)
  }

  get threads(): number {
    return (this.shared.byteLength - HEADER_BYTES) / SLOT_BYTES
  }

  /** Whether the process has been told to stop. */
  get isStopping(): boolean {
    return this.#words[STOPPING] !== 0
  }

  stop(): void {
    Atomics.store(this.#words, STOPPING, 1)
  }

  /** A number for a route, which `runs` takes. */
  declareRoute(pattern: string): number {
    return this.#routes.push(pattern) - 1
  }

  /** Notes that a request begins in this thread. Costs some 60 ns. */
  runs(route: number, reqId: string): void {
    this.#words[this.#slot + ROUTE] = route
    this.#words[this.#slot + ID_LENGTH] = this.#bytes.write(reqId, this.#id, ID_BYTES, 'latin1')
  }

  /** The request that began last in a thread; undefined where none has begun. */
  lastOf(thread: number): Running | undefined {
    const slot = slotOf(thread)
    const route = this.#words[slot + ROUTE]
    if (route === 0) return undefined
    const start = 4 * slot + ID
    const reqId = this.#bytes.toString('latin1', start, start + this.#words[slot + ID_LENGTH])
    return { route: this.#routes[route], reqId }
  }

  /** Notes that this thread runs. @returns whether it was marked as hanging */
  beat(): boolean {
    Atomics.add(this.#words, this.#slot + BEATS, 1)
    return Atomics.exchange(this.#words, this.#slot + SILENT, 0) === 1
  }

  /** The number of a thread's beats; 0 where it has not begun. */
  beatsOf(thread: number): number {
    return Atomics.load(this.#words, slotOf(thread) + BEATS)
  }

  /** Marks a thread as hanging. @returns whether it was not marked before */
  markSilent(thread: number): boolean {
    return Atomics.exchange(this.#words, slotOf(thread) + SILENT, 1) === 0
  }

  /** The lowest number of a thread that hangs; undefined where none does. */
  silentThread(): number | undefined {
    for (let thread = 0; thread < this.threads; thread++) {
      if (this.#words[slotOf(thread) + SILENT] !== 0) return thread
    }
    return undefined
  }

  /** Notes how many requests still run in this thread, for the log line at the process's end. */
  tellOpenRequests(count: number): void {
    this.#words[this.#slot + OPEN_REQUESTS] = count
  }

  /** The sum of the requests that the threads have noted as running. */
  openRequests(): number {
    let sum = 0
    for (let thread = 0; thread < this.threads; thread++) sum += this.#words[slotOf(thread) + OPEN_REQUESTS]
    return sum
  }

  /** Takes the right to write to the log. @returns false where another thread has it */
  takeLog(): boolean {
    const owner = Atomics.compareExchange(this.#words, LOG_OWNER, 0, this.thread + 1)
    return owner === 0 || owner === this.thread + 1
  }

  giveLog(): void {
    Atomics.compareExchange(this.#words, LOG_OWNER, this.thread + 1, 0)
  }

  /** Clears the slot of a thread that has ended, and takes back its right to write to the log. */
  end(thread: number): void {
    Atomics.compareExchange(this.#words, LOG_OWNER, thread + 1, 0)
    const slot = slotOf(thread)
    for (const word of [BEATS, SILENT, ROUTE, OPEN_REQUESTS]) Atomics.store(this.#words, slot + word, 0)
  }
}

/** Where a thread's slot begins, in words. */
function slotOf(thread: number): number {
  return (HEADER_BYTES + thread * SLOT_BYTES) / 4
}
