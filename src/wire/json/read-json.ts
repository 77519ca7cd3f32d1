import { HEAVY, LIGHT, PAUSE, type Steps } from '../../first-layer/steps.js'
import { OPEN_OBJECT } from './characters.js'
import { JsonCursor } from './json-cursor.js'
import type { LongField, LongFields } from './long-fields.js'

/**
 * Reads a body of any size, as JSON.parse does. Only long fields come in other forms, which hold no JavaScript value
 * for each of their elements. The ids of a list cost 4 bytes each, reserved as they come; texts stay in the body.
 *
 * A body beyond the bounds of `json-errors.ts` is refused at once, without reading the rest. A body that breaks any
 * other rule is read to its end, so that `invalid_json` is reported first.
 *
 * @param bytes UTF-8
 * @param maxDocuments elements of a list of texts or of lists of ids
 * @throws InletError `invalid_json` with the byte offset, `invalid_request`
 */
export function* readJson(bytes: Buffer, longFields: LongFields, maxDocuments: number): Steps<unknown> {
  const cursor = new JsonCursor(bytes, maxDocuments)
  if (!cursor.isSmall) yield HEAVY
  while (cursor.skipSpace()) yield PAUSE
  const value =
    cursor.byte === OPEN_OBJECT ? yield* readObject(cursor, longFields) : cursor.short(undefined, 0)
  while (cursor.skipSpace()) yield PAUSE
  if (cursor.byte !== undefined) throw cursor.invalid()
  if (!cursor.isSmall) yield LIGHT
  return value
}

function* readObject(cursor: JsonCursor, longFields: LongFields): Steps<Record<string, unknown>> {
  const object: Record<string, unknown> = {}
  /** Bytes reserved for the value of each long field. */
  let reserved: Map<string, number> | undefined
  function* readLong(key: string, field: LongField): Steps<void> {
    const dropped = reserved?.get(key) // of a repeated key the earlier value is dropped
    if (dropped !== undefined) yield -dropped
    const before = cursor.reserved
    setMember(object, key, yield* field.read(cursor, key))
    if (cursor.reserved > before || dropped !== undefined) {
      reserved ??= new Map()
      reserved.set(key, cursor.reserved - before)
    }
  }
  yield* cursor.members((key) => {
    const field = longFields.get(key)
    if (field !== undefined) return readLong(key, field)
    setMember(object, key, cursor.short(key, 1))
    return undefined
  })
  return object
}

/**
 * Sets a member as JSON.parse does: `__proto__` too is an own member; of repeated keys the last value stays, in the first
 * one's place.
 */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}
