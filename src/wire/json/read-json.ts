import type { InletError } from '../../errors.js'
import type { Claim } from '../../load/claim.js'
import { Reservation } from '../../load/reservation.js'
import { Pace } from '../../turn.js'
import { MAX_KEYS, MAX_SHORT_BYTES, tooManyKeys } from './bounds.js'
import { CLOSE_OBJECT, COLON, COMMA, isSpace, OPEN_OBJECT, QUOTE } from './characters.js'
import { invalidJson } from './invalid-json.js'
import type { LongField, LongFields } from './long-fields.js'
import { readLong } from './long-reader.js'
import { stringEnd, valueEnd } from './value-end.js'

/** White space passed over between two looks at the clock. */
const SPACE_BYTES = 65_536

/**
 * Reads a body of any size in short turns, as JSON.parse does. Only long fields come in other forms
 * (`long-fields.ts`), which hold no JavaScript value for each of their elements. The ids of a list cost 4 bytes
 * each, reserved from the claim as they come; texts stay in the body.
 *
 * A body beyond the bounds of `bounds.ts` is refused at once, without reading the rest. A body that breaks any
 * other rule is read to its end, so that `invalid_json` is reported first.
 *
 * @param bytes UTF-8
 * @param maxDocuments elements of a list of texts or of lists of ids
 * @throws InletError `invalid_json` with the byte offset, `invalid_request`
 */
export async function readJson(
  bytes: Buffer,
  longFields: LongFields,
  maxDocuments: number,
  claim: Claim,
): Promise<unknown> {
  const body = new BodyReader(bytes, longFields, maxDocuments, claim)
  return body.read()
}

class BodyReader {
  readonly #pace: Pace
  readonly #value: Record<string, unknown> = {}
  /** What is reserved for the value of a long field. */
  readonly #rooms = new Map<string, Reservation>()
  #at = 0

  constructor(
    private readonly bytes: Buffer,
    private readonly longFields: LongFields,
    private readonly maxDocuments: number,
    private readonly claim: Claim,
  ) {
    this.#pace = new Pace(claim)
  }

  async read(): Promise<unknown> {
    const isObject = (await this.#next()) === OPEN_OBJECT
    const value = isObject ? await this.#readObject() : this.#readShort(undefined, 0)
    if ((await this.#next()) !== undefined) throw this.#invalid()
    return value
  }

  async #readObject(): Promise<Record<string, unknown>> {
    this.#at++
    if ((await this.#next()) === CLOSE_OBJECT) {
      this.#at++
      return this.#value
    }
    for (let members = 1; ; members++) {
      if (members > MAX_KEYS) throw tooManyKeys(undefined)
      // Short members are 16 MiB together at most.
      if (this.#pace.isOver) await this.#pace.nextTurn()
      await this.#readMember()
      const byte = await this.#next()
      if (byte !== COMMA && byte !== CLOSE_OBJECT) throw this.#invalid()
      this.#at++
      if (byte === CLOSE_OBJECT) return this.#value
      await this.#next()
    }
  }

  async #readMember(): Promise<void> {
    if (this.bytes[this.#at] !== QUOTE) throw this.#invalid()
    const keyEnd = stringEnd(this.bytes, this.#at, this.#at + MAX_SHORT_BYTES, undefined)
    const key = this.#parsed(keyEnd) as string
    if ((await this.#next()) !== COLON) throw this.#invalid()
    this.#at++
    const first = await this.#next()
    const long = Object.hasOwn(this.longFields, key) ? this.longFields[key] : undefined
    const value =
      first !== undefined && long?.begins(first) ? await this.#readLong(key, long) : this.#readShort(key, 1)
    // As JSON.parse does: `__proto__` too is an own member; of repeated keys the last value stays, in the first
    // one's place.
    Object.defineProperty(this.#value, key, { value, enumerable: true, configurable: true, writable: true })
  }

  async #readLong(key: string, { reader }: LongField): Promise<unknown> {
    this.#rooms.get(key)?.settle(0) // the key is repeated: its earlier value is dropped
    const room = new Reservation(this.claim)
    this.#rooms.set(key, room)
    const { value, end } = await readLong(
      reader(this.bytes, key, this.maxDocuments),
      this.bytes,
      this.#at,
      room,
      this.#pace,
    )
    this.#at = end
    return value
  }

  /** @param depth levels that are open around the value */
  #readShort(field: string | undefined, depth: number): unknown {
    return this.#parsed(valueEnd(this.bytes, this.#at, field, depth))
  }

  /** The value that stands from here to `end`. */
  #parsed(end: number): unknown {
    const json = this.bytes.toString('utf8', this.#at, end)
    this.#at = end
    return JSON.parse(json)
  }

  /** Skips white space; returns the byte behind it, undefined at the end of the body. */
  async #next(): Promise<number | undefined> {
    const { bytes } = this
    for (;;) {
      let at = this.#at
      const stop = Math.min(at + SPACE_BYTES, bytes.length)
      while (at < stop && isSpace(bytes[at])) at++
      this.#at = at
      if (at < stop || at === bytes.length) return bytes[at]
      if (this.#pace.isOver) await this.#pace.nextTurn()
    }
  }

  #invalid(): InletError {
    return invalidJson(this.bytes, this.#at)
  }
}
