/** Indices of the shared words: of the process, then one for each thread. */
const STOPPING = 0
const STARTING = 1
const BEATS = 2
const OPEN_REQUESTS = 3
/** How often the first thread counts on, and the other ones look whether it does. */
const BEAT_MS = 1000
/** Looks without a beat after which the first thread does not answer. */
const SILENT_LOOKS = 10

/** The process's state in memory that all threads share. Each has its own `Liveness` over the one buffer. */
export class Liveness {
  readonly #words: Int32Array
  /** Whether the first thread has not had a turn for ten seconds, as a thread sees it that {@link watch}es. */
  isSilent = false

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

  /** Counts on in the first thread, as long as it has turns. */
  beat(): void {
    setInterval(() => Atomics.add(this.#words, BEATS, 1), BEAT_MS).unref()
  }

  /**
   * Looks whether the first thread counts on. Looks are counted, not seconds: a process that was frozen has had neither.
   *
   * @param silent called once after so many seconds of silence, and ten at least
   */
  watch(seconds: number, silent: () => void = () => {}): void {
    let seen = 0
    let looks = 0
    const look = () => {
      const beats = Atomics.load(this.#words, BEATS)
      looks = beats === seen ? looks + 1 : 0
      seen = beats
      this.isSilent = looks >= SILENT_LOOKS
      if (looks === Math.max(SILENT_LOOKS, seconds)) silent()
    }
    setInterval(look, BEAT_MS).unref()
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
