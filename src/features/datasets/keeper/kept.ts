import { WorkQueue } from '../../../first-layer/running/wait.js'

/** Works of at most this size run at once, also beside a longer one; the longer ones run one after the other. */
const SHORT_BYTES = 1 << 20
/** Most of the room for one longer work: the rest is for short ones beside it. */
const LONG_SHARE = 7 / 8
/** Values in the making at once. */
const MOST_MAKING = 64
/** What a kept value takes beside its arrays. */
const ENTRY_BYTES = 1024

export interface Made<Value> {
  readonly value: Value
  readonly bytes: number
}

/** How a value is made, and the most bytes that this takes. */
export interface Making<Value> {
  readonly most: number
  /** Ends soon after the signal is aborted. */
  make(signal: AbortSignal): Promise<Made<Value>>
}

interface KeptEvents {
  /** The error for a value that does not fit. @param isNow whether it can be asked for again: others are being made */
  noRoom(bytes: number, isNow: boolean): Error
  /** A value is no longer kept. */
  gone(key: string): void
}

interface Work {
  readonly value: Promise<unknown>
  /** Who waits for it. */
  readonly waiters: Set<string>
  readonly abort: AbortController
}

/**
 * Values that take long to make, or much memory, and the making of them, within a bound of their own: no request
 * waits for their memory. The least recently used leave first. A work ends with the last caller who waits for it.
 */
export class Kept {
  /** In the order of their last use. */
  readonly #made = new Map<string, Made<unknown>>()
  readonly #making = new Map<string, Work>()
  readonly #long = new WorkQueue()
  #held = 0

  /** @param most bytes of all values, those in the making included */
  constructor(
    private readonly most: number,
    private readonly events: KeptEvents,
  ) {}

  get held(): number {
    return this.#held
  }

  /** The value of a key, made if it is not there. @param waiter a name for {@link leave} */
  get<Value>(key: string, making: Making<Value>, waiter: string): Promise<Value> {
    const made = this.#made.get(key)
    if (made !== undefined) {
      this.#made.delete(key)
      this.#made.set(key, made)
      return Promise.resolve(made.value as Value)
    }
    const work = this.#making.get(key) ?? this.#begin(key, making)
    work.waiters.add(waiter)
    return work.value as Promise<Value>
  }

  /** Aborts the task if no caller waits for it. */
  leave(waiter: string): void {
    for (const [key, { waiters, abort }] of this.#making) {
      if (!waiters.delete(waiter) || waiters.size > 0) continue
      this.#making.delete(key)
      abort.abort()
    }
  }

  /** Drops all values whose keys begin so; one that is being made is not kept. */
  drop(prefix: string): void {
    for (const key of this.#made.keys()) if (key.startsWith(prefix)) this.#remove(key)
    for (const key of this.#making.keys()) if (key.startsWith(prefix)) this.#making.delete(key)
  }

  #begin<Value>(key: string, making: Making<Value>): Work {
    const abort = new AbortController()
    const isLong = making.most > SHORT_BYTES
    const run = () => this.#run(key, making, abort.signal)
    const isRefused = making.most > this.#limit(isLong) || this.#making.size >= MOST_MAKING
    const refused = () => Promise.reject(this.events.noRoom(making.most, making.most <= this.#limit(isLong)))
    const work = { value: isRefused ? refused() : isLong ? this.#long.run(run) : run(), abort }
    const entry: Work = { ...work, waiters: new Set() }
    this.#making.set(key, entry)
    const end = () => void (this.#making.get(key) === entry && this.#making.delete(key))
    entry.value.then(end, end)
    return entry
  }

  async #run<Value>(key: string, { most, make }: Making<Value>, signal: AbortSignal): Promise<Value> {
    signal.throwIfAborted()
    const limit = this.#limit(most > SHORT_BYTES)
    for (const oldest of this.#made.keys()) {
      if (this.#held + most <= limit) break
      this.#remove(oldest)
    }
    if (this.#held + most > limit) throw this.events.noRoom(most, true)
    this.#held += most
    try {
      const { value, bytes } = await make(signal)
      if (this.#making.get(key)?.abort.signal === signal) {
        const made = { value, bytes: bytes + ENTRY_BYTES }
        this.#made.set(key, made)
        this.#held += made.bytes
      }
      return value
    } finally {
      this.#held -= most
    }
  }

  #limit(isLong: boolean): number {
    return isLong ? Math.floor(this.most * LONG_SHARE) : this.most
  }

  #remove(key: string): void {
    this.#held -= this.#made.get(key)!.bytes
    this.#made.delete(key)
    this.events.gone(key)
  }
}
