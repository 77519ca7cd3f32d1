import { InletError } from '../../../service/answer/error-table.js'
import { datasetIndexing } from '../errors.js'

/** Values of more bytes leave a part of the room to shorter ones, which are made beside them. */
const SHORT_BYTES = 1 << 20
const LONG_SHARE = 7 / 8
/** What a kept value takes beside its arrays. */
const ENTRY_BYTES = 1024

/** Makes a value, and tells the bytes that it takes. */
type Make<Value> = () => Promise<{ readonly value: Value; readonly bytes: number }>

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

  /** @param gone told of a value that is no longer kept */
  constructor(
    private readonly most: number,
    private readonly gone: (key: string) => void,
  ) {}

  /** Bytes of all values, those in the making included. */
  get held(): number {
    return [...this.#entries.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** The value of a key, made if it is not there. @param most bytes that making it takes */
  get<Value>(key: string, most: number, make: Make<Value>): Promise<Value> {
    const entry = this.#entries.get(key) ?? { bytes: 0, isMade: false }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    entry.value ??= this.#make(key, entry, most, make)
    return entry.value as Promise<Value>
  }

  /** Drops all values whose keys begin so; one that is being made is not kept. */
  drop(prefix: string): void {
    for (const [key, { isMade }] of this.#entries) if (key.startsWith(prefix)) this.#remove(key, isMade)
  }

  async #make<Value>(key: string, entry: Entry, most: number, make: Make<Value>): Promise<Value> {
    try {
      this.#makeRoom(most)
      entry.bytes = most
      const { value, bytes } = await make()
      entry.bytes = bytes + ENTRY_BYTES
      entry.isMade = true
      return value
    } catch (error) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
      throw error
    }
  }

  #makeRoom(most: number): void {
    const limit = most > SHORT_BYTES ? Math.floor(this.most * LONG_SHARE) : this.most
    if (most > limit) {
      const message = `What this recipe needs of its dataset takes ${most} bytes. At most ${this.most} are kept of datasets, a quarter of MAX_BYTES_IN_FLIGHT.`
      throw new InletError('insufficient_memory', message)
    }
    let { held } = this
    for (const [key, { bytes, isMade }] of this.#entries) {
      if (held + most <= limit) return
      if (!isMade) continue
      this.#remove(key, true)
      held -= bytes
    }
    if (held + most > limit) throw datasetIndexing() // others are being made
  }

  #remove(key: string, isMade: boolean): void {
    this.#entries.delete(key)
    if (isMade) this.gone(key)
  }
}
