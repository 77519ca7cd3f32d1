import type { z } from 'zod'
import { InletError, quoted, shown } from '../errors.js'
import { flatReader, typedText } from './flat.js'
import { parse } from './parse.js'

/** Most levels of a body (`{}` is one), of a long line of NDJSON, of the dots in a query's field, of a flag's object. */
export const MAX_DEPTH = 64
export const MAX_FIELDS = 256

export type NamedText = readonly [name: string, text: string]

/**
 * The reader of query strings for a schema: `context_length=4&outputs=input_ids,target_ids` → `{
 * context_length: 4, outputs: ['input_ids', 'target_ids'] }`. The schema decides how a text is read: lists
 * have commas between their elements, booleans are `true` and `false`, objects are flattened with dots. The
 * reader throws InletError `invalid_request` for a field that is unknown, repeated or wrong.
 */
export function queryReader<S extends z.ZodObject>(schema: S): (query: string) => z.output<S> {
  const read = textReader(schema)
  return (query) => read(namedTexts(query))
}

/** The same for fields that are named texts, as flags are. */
export function textReader<S extends z.ZodObject>(schema: S): (fields: readonly NamedText[]) => z.output<S> {
  const read = flatReader(schema, typedText)
  return (fields) => parse(schema, read(checkedFields(fields)))
}

/**
 * `a=1&b=x%20y` → `[['a', '1'], ['b', 'x y']]`; a plus sign is a space, as in forms. Each dot in a name
 * counts as a level of JSON.
 */
export function queryFields(query: string): readonly NamedText[] {
  return checkedFields(namedTexts(query))
}

function namedTexts(query: string): readonly NamedText[] {
  const parts = query.split('&').filter((part) => part !== '')
  if (parts.length > MAX_FIELDS) {
    const message = `The query string must have at most ${MAX_FIELDS} fields. Given: ${parts.length}`
    throw new InletError('invalid_request', message)
  }
  return parts.map((part) => {
    const [name, ...rest] = part.split('=')
    return [decoded(name), decoded(rest.join('='))]
  })
}

function checkedFields(fields: readonly NamedText[]): readonly NamedText[] {
  const names = new Set<string>()
  for (const [name] of fields) {
    if (names.has(name)) {
      const values = fields.filter((field) => field[0] === name).map(([, text]) => shown(text))
      const message = `${quoted(name)} must be given once. Given: ${values.slice(0, 3).join(', ')}`
      throw new InletError('invalid_request', message, name)
    }
    names.add(name)
    const levels = name.split('.').length
    if (levels > MAX_DEPTH) {
      const message = `${quoted(name)} must be nested at most ${MAX_DEPTH} deep. Given: ${levels}`
      throw new InletError('invalid_request', message, name)
    }
  }
  return fields
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new InletError(
      'invalid_request',
      `The query string must be percent-encoded UTF-8. Given: ${shown(text)}`,
    )
  }
}
