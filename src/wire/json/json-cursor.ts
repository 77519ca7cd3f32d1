import { Reserved } from '../../first-layer/reserved.js'
import { PAUSE, type Steps } from '../../first-layer/steps.js'
import { invalidJson } from './invalid-json.js'
import { MAX_KEYS, MAX_SHORT_BYTES, tooLong } from './json-bounds.js'
import { readList, readObject } from './json-container.js'
import { JsonPlace, type Rest, STEP_BYTES } from './json-place.js'
import type { LongReader } from './long-reader.js'
import { readShort } from './short-values.js'
import { skipValue } from './skip-value.js'

/** Most bytes kept per byte of JSON: of `"",` 16 bytes are kept. */
const KEPT_PER_BYTE = 6

/** Called at a value: moves the cursor behind it. */
type ReadValue<Place extends unknown[]> = (...place: Place) => Rest

/** Moves forward over the values of a body of JSON. */
export class JsonCursor extends JsonPlace {
  /** Bytes reserved for the values of long readers. */
  reserved = 0

  constructor(
    bytes: Buffer,
    readonly maxDocuments: number,
  ) {
    super(bytes)
  }

  /**
   * Reads the object that begins here.
   *
   * @param read gets each member's key, and where the key begins
   * @param field of the object, for messages
   * @param most members
   */
  members(read: ReadValue<[key: string, start: number]>, field?: string, most: number = MAX_KEYS): Rest {
    return readObject(this, read, most, field)
  }

  /** Reads the list that begins here. @param read gets each element's index */
  elements(read: ReadValue<[index: number]>): Rest {
    return readList(this, read)
  }

  /** The short value that begins here. @param depth levels that are open around it */
  short(field: string | undefined, depth: number): unknown {
    return readShort(this, field, depth)
  }

  /** Reads the value that begins here by its own reader, and gives it on. */
  long<Value>(reader: LongReader<Value>, give: (value: Value) => void): Rest {
    if (!this.isSmall) return this.#longInSteps(reader, give)
    const { bytes } = this
    while (!reader.isDone) {
      if (this.at >= bytes.length) throw this.invalid()
      this.at = reader.step(this.at, bytes.length)
    }
    return reader.finish(give)
  }

  *#longInSteps<Value>(reader: LongReader<Value>, give: (value: Value) => void): Steps<void> {
    const { bytes } = this
    const reserved = new Reserved()
    while (!reader.isDone) {
      if (this.at >= bytes.length) throw this.invalid()
      const ahead = Math.min(STEP_BYTES, bytes.length - this.at) * KEPT_PER_BYTE
      const more = reserved.reach(reader.byteLength + ahead)
      if (more > 0) yield more
      this.at = reader.step(this.at, Math.min(this.at + STEP_BYTES, bytes.length))
      yield PAUSE
    }
    yield -reserved.settle(reader.byteLength)
    this.reserved += reserved.bytes
    const rest = reader.finish(give)
    if (rest !== undefined) yield* rest
  }

  /** The value that begins here, which must be short; what {@link skip} does not check, JSON.parse does. */
  *value(field: string): Steps<unknown> {
    const start = this.at
    yield* this.skip()
    if (this.at - start > MAX_SHORT_BYTES) throw tooLong(field)
    try {
      return JSON.parse(this.bytes.toString('utf8', start, this.at))
    } catch {
      throw invalidJson(this.bytes, start)
    }
  }

  /** Moves behind the value that begins here, whatever it is. */
  skip(): Steps<void> {
    return skipValue(this)
  }
}
