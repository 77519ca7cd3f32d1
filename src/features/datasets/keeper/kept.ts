import { WorkQueue } from '../../../first-layer/running/wait.js'

/** Values of at most this size are made at once, also beside a longer one; the longer ones one after the other. */
const SHORT_BYTES = 1 << 20
/** Most of the room for one longer value: the rest is for short ones beside it. */
const LONG_SHARE = 7 / 8
/** Longer values that wait for their turn. */
const MOST_WAITING = 16
/** What a kept value takes beside its arrays. */
const ENTRY_BYTES = 1024

/** How a value is made, and the most bytes that this takes. */
export interface Making<Value> {
  readonly most: number
  make(): Promise<{ readonly value: Value; readonly bytes: number }>
}

interface KeptEvents {
  /** The error for a value that does not fit. @param isNow whether it can be asked for again: others are being made */
  noRoom(bytes: number, isNow: boolean): Error
  /** A value is no longer kept. */
  gone(key: string): void
}

interface Entry {
  value?: Promise<unknown>
  bytes: number
  isMade: boolean
}

/**
 * Values that take long to make, or much memory, within a bound of their own: no request waits for their memory. Each is
 * made once for all who ask for it, to its end; the least recently used leave first.
 */
export class Kept {
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>()
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

  /** The value of a key, made if it is not there. */
  get<Value>(key: string, making: Making<Value>): Promise<Value> {
    const entry = this.#entries.get(key) ?? { bytes: 0, isMade: false }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.value ??= this.#make(key, entry, making)
    return entry.value as Promise<Value>
  }

  /** Drops all values whose keys begin so; one that is being made is not kept. */
  drop(prefix: string): void {
    for (const [key, entry] of this.#entries) if (key.startsWith(prefix)) this.#remove(key, entry)
  }

  async #make<Value>(key: string, entry: Entry, { most, make }: Making<Value>): Promise<Value> {
    const isLong = most > SHORT_BYTES
    const limit = isLong ? Math.floor(this.most * LONG_SHARE) : this.most
    const run = async () => {
      for (const [oldest, each] of this.#entries) {
        if (this.#held + most <= limit) break
        if (each.isMade) this.#remove(oldest, each)
      }
      if (this.#held + most > limit) throw this.events.noRoom(most, true)
      this.#hold(entry, most)
      const { value, bytes } = await make()
      entry.isMade = true
      this.#hold(entry, this.#entries.get(key) === entry ? bytes + ENTRY_BYTES : 0)
      return value
    }
    try {
      if (most > limit) throw this.events.noRoom(most, false)
      if (isLong && this.#long.waiting === MOST_WAITING) throw this.events.noRoom(most, true)
      return await (isLong ? this.#long.run(run) : run())
    } catch (error) {
      this.#hold(entry, 0)
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
      throw error
    }
  }

  #remove(key: string, entry: Entry): void {
    this.#entries.delete(key)
    if (!entry.isMade) return // it holds its bytes until it is made
    this.#hold(entry, 0)
    this.events.gone(key)
  }

  #hold(entry: Entry, bytes: number): void {
    this.#held += bytes - entry.bytes
    entry.bytes = bytes
  }
}
