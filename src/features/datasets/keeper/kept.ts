/** Room for what is kept, all together. */
export interface KeptRoom {
  /** @returns whether it has taken the bytes */
  take(bytes: number): boolean
  give(bytes: number): void
}

export interface Made<Value> {
  readonly value: Value
  readonly bytes: number
}

interface Entry {
  readonly value: Promise<unknown>
  bytes: number
  /** Whether it has been made: a value in the making holds its memory, even if others want it. */
  isMade: boolean
}

/** Values that take long to make, or much memory: kept while there is room, least recently used ones leave first. */
export class Kept {
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>()

  /** @param noRoom makes the error for a value that does not fit */
  constructor(
    private readonly room: KeptRoom,
    private readonly noRoom: (bytes: number) => Error,
  ) {}

  /**
   * The value of a key, made where it is not there.
   *
   * @param most bytes that making it takes
   */
  get<Value>(key: string, most: number, make: () => Promise<Made<Value>>): Promise<Value> {
    const known = this.#entries.get(key)
    if (known !== undefined) {
      this.#entries.delete(key)
      this.#entries.set(key, known)
      return known.value as Promise<Value>
    }
    if (!this.#makeRoom(most)) return Promise.reject(this.noRoom(most))
    const value = make().then((made) => this.#settle(key, entry, made))
    const entry: Entry = { bytes: most, value, isMade: false }
    this.#entries.set(key, entry)
    entry.value.catch(() => this.#remove(key, entry))
    return entry.value as Promise<Value>
  }

  /** Drops all values whose keys begin so; one that is being made gives its room back when it is made. */
  drop(prefix: string): void {
    for (const [key, entry] of this.#entries) {
      if (!key.startsWith(prefix)) continue
      if (entry.isMade) this.#remove(key, entry)
      else this.#entries.delete(key)
    }
  }

  #settle<Value>(key: string, entry: Entry, { value, bytes }: Made<Value>): Value {
    entry.isMade = true
    this.room.give(entry.bytes)
    const isKept = this.#entries.get(key) === entry
    entry.bytes = isKept && this.room.take(bytes) ? bytes : 0
    return value
  }

  #makeRoom(bytes: number): boolean {
    while (!this.room.take(bytes)) {
      const oldest = [...this.#entries].find(([, { isMade }]) => isMade)
      if (oldest === undefined) return false
      this.#remove(...oldest)
    }
    return true
  }

  #remove(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key)
    this.room.give(entry.bytes)
    entry.bytes = 0
  }
}
