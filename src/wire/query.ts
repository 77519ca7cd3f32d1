import { z } from 'zod'
import { positionEmbeddingFromQuery } from '../embeddings/positions/from-query.js'
import { InletError, quoted, shown } from '../errors.js'
import { MAX_DEPTH, MAX_KEYS } from './json/bounds.js'
import { parse } from './schemas/issue.js'
import { nameLists } from './schemas/names-field.js'

/** As JSON writes integers: no plus sign, no exponent, no leading zero. */
const INTEGER = /^-?(0|[1-9]\d*)$/

type Field = readonly [name: string, text: string]

/**
 * A query string as the fields of a schema, which checks them: `context_length=4&outputs=input_ids,target_ids` →
 * `{ context_length: 4, outputs: ['input_ids', 'target_ids'] }`. The schema decides how a text is read: lists
 * have commas between their elements, booleans are `true` and `false`, objects are flattened with dots. A text
 * that does not look like its field's type stays a text, and the schema refuses it.
 *
 * @throws InletError `invalid_request` for a field that is unknown, repeated or wrong
 */
export function parseQuery<S extends z.ZodObject>(schema: S, query: string): z.output<S> {
  const fields = queryFields(query)
  const position = 'position_embedding' in schema.shape ? positionEmbeddingFromQuery(fields) : undefined
  if (position !== undefined && 'problem' in position) {
    const { option, message } = position.problem
    throw new InletError('invalid_request', message, `position_embedding.${option}`)
  }
  const plain = position === undefined ? fields : fields.filter(([name]) => !isPosition(name))
  const typed = plain.map(([name, text]) => [name, typedText(text, schema.shape[name])])
  if (position !== undefined) typed.push(['position_embedding', position.value])
  return parse(schema, Object.fromEntries(typed))
}

function isPosition(name: string): boolean {
  return name === 'position_embedding' || name.startsWith('position_embedding.')
}

/**
 * `a=1&b=x%20y` → `[['a', '1'], ['b', 'x y']]`; a plus sign is a space, as in forms. The bounds are those of a
 * JSON body; each dot in a name counts as a level.
 */
export function queryFields(query: string): readonly Field[] {
  const parts = query.split('&').filter((part) => part !== '')
  if (parts.length > MAX_KEYS) {
    const message = `The query string must have at most ${MAX_KEYS} fields. Given: ${parts.length}`
    throw new InletError('invalid_request', message)
  }
  const fields = parts.map((part): Field => {
    const [name, ...rest] = part.split('=')
    return [decoded(name), decoded(rest.join('='))]
  })
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

function typedText(text: string, schema: z.core.$ZodType | undefined): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return typedText(text, schema.unwrap())
  if (schema instanceof z.ZodNumber) return INTEGER.test(text) ? Number(text) : text
  if (schema instanceof z.ZodBoolean) return text === 'true' || text === 'false' ? text === 'true' : text
  const list = schema === undefined ? undefined : nameLists.get(schema)
  if (list === undefined || text === list.word) return text
  return text === '' ? [] : text.split(',')
}
