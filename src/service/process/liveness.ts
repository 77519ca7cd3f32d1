/** Indices of the shared words: of the process, then one for each thread. */
const STOPPING = 0
const STARTING = 1
const OPEN_REQUESTS = 2

/** The process's state in memory that all threads share. Each has its own `Liveness` over the one buffer. */
export class Liveness {
  readonly #words: Int32Array

  /** @param thread 0: the first thread */
  constructor(
    readonly shared: SharedArrayBuffer,
    readonly thread: number,
  ) {
    this.#words = new Int32Array(shared)
  }

  static first(threads = 1): Liveness {
    return new Liveness(new SharedArrayBuffer(4 * (OPEN_REQUESTS + threads)), 0)
  }

  get threads(): number {
    return this.#words.length - OPEN_REQUESTS
  }

  get isStopping(): boolean {
    return this.#words[STOPPING] !== 0
  }

  /** Whether a thread does not serve yet. */
  get isStarting(): boolean {
    return this.#words[STARTING] !== 0
  }

  set isStarting(isStarting: boolean) {
    Atomics.store(this.#words, STARTING, Number(isStarting))
  }

  stop(): void {
    Atomics.store(this.#words, STOPPING, 1)
  }

  /** Notes how many requests still run in this thread, for the log line at the process's end. */
  tellOpenRequests(count: number): void {
    this.#words[OPEN_REQUESTS + this.thread] = count
  }

  openRequests(): number {
    return this.#words.subarray(OPEN_REQUESTS).reduce((sum, count) => sum + count, 0)
  }
}
