import { PAUSE, type Steps } from '../../first-layer/steps.js'
import { OPEN_OBJECT } from './characters.js'
import { JsonCursor } from './json-cursor.js'
import type { Rest } from './json-place.js'
import type { LongField, LongFields } from './long-fields.js'

/**
 * Reads a body of any size, as JSON.parse does. Only long fields come in other forms, which hold no JavaScript value
 * for each of their elements. The ids of a list cost 4 bytes each, reserved as they come; texts stay in the body.
 *
 * A body beyond the bounds of `json-bounds.ts` is refused at once, without reading the rest. A body that breaks any
 * other rule is read to its end, so that `invalid_json` is reported first.
 *
 * @param bytes UTF-8
 * @param maxDocuments elements of a list of texts or of lists of ids
 * @throws InletError `invalid_json` with the byte offset, `invalid_request`
 */
export function* readJson(bytes: Buffer, longFields: LongFields, maxDocuments: number): Steps<unknown> {
  const cursor = new JsonCursor(bytes, maxDocuments)
  while (cursor.skipSpace()) yield PAUSE
  let value: unknown
  if (cursor.byte !== OPEN_OBJECT) value = cursor.short(undefined, 0)
  else {
    const object = new BodyObject(cursor, longFields)
    const rest = object.read()
    if (rest !== undefined) yield* rest
    value = object.members
  }
  while (cursor.skipSpace()) yield PAUSE
  if (cursor.byte !== undefined) throw cursor.invalid()
  return value
}

/** The object that a body is. */
class BodyObject {
  readonly members: Record<string, unknown> = {}
  /** Bytes reserved for the value of each long field. */
  #reserved: Map<string, number> | undefined

  constructor(
    private readonly cursor: JsonCursor,
    private readonly longFields: LongFields,
  ) {}

  read(): Rest {
    return this.cursor.members((key) => {
      const { cursor } = this
      const field = this.longFields.get(key)
      if (field === undefined) {
        setMember(this.members, key, cursor.short(key, 1))
        return undefined
      }
      const give = (value: unknown) => setMember(this.members, key, value)
      return cursor.isSmall ? field.read(cursor, key, give) : this.#readReserved(key, field, give)
    })
  }

  /** Of a repeated key the earlier value is dropped, and what was reserved for it given back. */
  *#readReserved(key: string, field: LongField, give: (value: unknown) => void): Steps<void> {
    const dropped = this.#reserved?.get(key)
    if (dropped !== undefined) yield -dropped
    const before = this.cursor.reserved
    const rest = field.read(this.cursor, key, give)
    if (rest !== undefined) yield* rest
    this.#reserved ??= new Map()
    this.#reserved.set(key, this.cursor.reserved - before)
  }
}

/**
 * Sets a member as JSON.parse does: `__proto__` too is an own member; of repeated keys the last value stays, in the first
 * one's place.
 */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}
