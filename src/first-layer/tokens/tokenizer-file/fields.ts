import { z } from 'zod'
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

/** A string of whole Unicode characters. The messages of a file's schemas are their rules. */
export const unicode = z
  .string('a string')
  .refine((text) => text.isWellFormed(), 'Unicode, without half of a surrogate pair')

/** What a schema makes of the value at a place. @throws InletError `model_failed` */
export function parsed<Output>(schema: z.ZodType<Output>, value: unknown, place: Place, field = ''): Output {
  const { data, error } = schema.safeParse(value)
  if (error === undefined) return data as Output
  const [{ path, message }] = error.issues
  const given = path.reduce((at: unknown, key) => (at as Record<PropertyKey, unknown>)[key], value)
  throw fileError(place, [field, ...path].filter((part) => part !== '').join('.'), message, given)
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
