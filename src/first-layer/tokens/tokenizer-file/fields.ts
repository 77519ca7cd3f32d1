import { InletError, quoted, shown, visible } from '../../errors.js'
import { endOfString, otherFile, parsePythonJson } from '../../python-json.js'

/** The place of a JSON object in a file, for messages. */
export interface Place {
  readonly file: string
  /** As `model` or `added_tokens.3`; empty: the file's own object. */
  readonly path: string
}

export type JsonObject = Readonly<Record<string, unknown>>

/** The error for an invalid file, with file, field, rule and the value found. */
export function fileError(place: Place, field: string, rule: string, value: unknown): InletError {
  const path = [place.path, field].filter((part) => part !== '').join('.')
  const subject = path === '' ? place.file : `${place.file}: ${quoted(path)}`
  return new InletError('model_failed', `${subject} must be ${rule}. Given: ${shown(value)}`)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The `type` of a component: `{ "type": "BertNormalizer" }` → `BertNormalizer`. */
export function typeOf(component: unknown): string | undefined {
  return isObject(component) && typeof component.type === 'string' ? component.type : undefined
}

/** A component of the file for a message: `normalizer Precompiled`. */
export function nameOf(field: string, component: unknown): string {
  const absent = component === null || component === undefined ? 'null' : 'of no known type'
  return `${field} ${typeOf(component)?.slice(0, 40).toWellFormed() ?? absent}`
}

export function objectField(object: JsonObject, field: string, place: Place): JsonObject {
  const value = object[field]
  if (!isObject(value)) throw fileError(place, field, 'an object', value)
  return value
}

/** A field that must be a string of whole Unicode characters. */
export function stringField(object: JsonObject, field: string, place: Place): string {
  return stringOf(object[field], field, place)
}

/** A value that must be a string of whole Unicode characters. */
export function stringOf(value: unknown, field: string, place: Place): string {
  if (typeof value !== 'string') throw fileError(place, field, 'a string', value)
  if (!value.isWellFormed()) throw fileError(place, field, 'Unicode, without half of a surrogate pair', value)
  return value
}

/** A field that must be a boolean; absent or null: `otherwise`. */
export function booleanField(object: JsonObject, field: string, place: Place, otherwise: boolean): boolean {
  const value = object[field] ?? otherwise
  if (typeof value !== 'boolean') throw fileError(place, field, 'true or false', value)
  return value
}

/** Nested arrays and objects; the Rust library allows twice as many. */
const MAX_NESTING = 64

const QUOTE = 0x22

/**
 * Parses a file that must be a JSON object.
 *
 * @param parse tokenizer.json is the Rust library's, which is strict; Python writes and reads the others
 * @throws InletError `model_failed` for other text, or too deep nesting
 */
export function parseJsonFile(
  file: string,
  text: string,
  parse: (text: string) => unknown = parsePythonJson,
): JsonObject {
  if (nestingOf(text) > MAX_NESTING)
    throw new InletError('model_failed', `${file} must nest at most ${MAX_NESTING} arrays and objects`)
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    const reason = otherFile(text) ?? (error instanceof Error ? visible(error.message.slice(0, 200)) : '')
    throw new InletError('model_failed', `${file} must be JSON. ${reason}`)
  }
  if (!isObject(value)) throw fileError({ file, path: '' }, '', 'a JSON object', value)
  return value
}

/** The most arrays and objects open at one place, strings left out: `{"a":["[["]}` → 2. */
function nestingOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === QUOTE) i = endOfString(text, i) - 1
    else if (unit === 0x5b || unit === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (unit === 0x5d || unit === 0x7d) depth--
  }
  return deepest
}
