import { z } from 'zod'
import { MAX_DEPTH } from '../../../first-layer/json.js'
import { InletError, quoted, shown } from '../../answer/error-table.js'
import { type Field, fieldsOf } from '../fields/fields.js'
import { parse } from '../fields/issue.js'

export const MAX_FIELDS = 256

type NamedText = readonly [name: string, text: string]

/**
 * The reader of query strings for a schema: `context_length=4&outputs=input_ids,target_ids` → `{
 * context_length: 4, outputs: ['input_ids', 'target_ids'] }`. The schema decides how a text is read: lists
 * have commas between their elements, booleans are `true` and `false`, objects are flattened with dots. The
 * reader throws InletError `invalid_request` for a field that is unknown, repeated or wrong.
 */
export function queryReader<S extends z.ZodObject>(schema: S): (query: string) => z.output<S> {
  const read = flatReader(schema, typedText)
  return (query) => parse(schema, read(queryFields(query)))
}

/**
 * `a=1&b=x%20y` → `[['a', '1'], ['b', 'x y']]`; a plus sign is a space, as in forms. Each dot in a name
 * counts as a level of JSON.
 */
export function queryFields(query: string): readonly NamedText[] {
  const parts = query.split('&').filter((part) => part !== '')
  if (parts.length > MAX_FIELDS) {
    const message = `The query string must have at most ${MAX_FIELDS} fields. Given: ${parts.length}`
    throw new InletError('invalid_request', message)
  }
  const fields = parts.map((part): NamedText => {
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

interface Options {
  [key: string]: unknown
}

/** As JSON writes integers: no plus sign, no exponent, no leading zero. */
const INTEGER = /^-?(0|[1-9]\d*)$/
/** Other numbers, and options of a scheme, may be in any decimal notation. */
const DECIMAL = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i

export type FlatReader<Value> = (given: Iterable<readonly [path: string, value: Value]>) => Options

/**
 * The reader for a schema whose objects are flattened with dots: `position_embedding` = `rope` and
 * `position_embedding.scaling.factor` = `2` → `{ position_embedding: { type: 'rope', scaling: { factor: 2 } }
 * }`. Options of a scheme are texts, whatever they are given as; `typed` reads all other fields. The reader
 * throws InletError `invalid_request` where a scheme has two types.
 */
export function flatReader<Value>(
  schema: z.ZodObject,
  typed: (value: Value, field: Field | undefined) => unknown,
): FlatReader<Value> {
  const fields = new Map(fieldsOf(schema).map((field) => [field.path, field]))
  return (given) => {
    const plain: [string, unknown][] = []
    const schemes = new Map<string, { name?: string; options: Options }>()
    for (const [path, value] of given) {
      const dot = path.indexOf('.')
      const root = dot < 0 ? path : path.slice(0, dot)
      if (fields.get(root)?.kind !== 'scheme') {
        plain.push([path, typed(value, fields.get(path))])
        continue
      }
      const scheme = schemes.get(root) ?? { options: Object.create(null) as Options }
      schemes.set(root, scheme)
      if (dot < 0) scheme.name = String(value)
      else insert(scheme.options, path.slice(dot + 1).split('.'), typedText(String(value), fields.get(path)))
    }
    for (const [root, { name, options }] of schemes) plain.push([root, named(root, name, options)])
    return Object.fromEntries(plain)
  }
}

/**
 * A text in the form that its field asks for: `4` → 4, `a,b` → `['a', 'b']`. One that does not look like it
 * stays a text, and the schema refuses it.
 */
export function typedText(text: string, field: Field | undefined): unknown {
  switch (field?.kind) {
    case 'integer':
    case 'number':
      return (field.of === undefined && field.kind === 'integer' ? INTEGER : DECIMAL).test(text)
        ? Number(text)
        : text
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'list':
      if (field.words?.includes(text)) return text
      return text === '' ? [] : text.split(',')
    default:
      return text
  }
}

/** Whether a text is the default of a field: `dtype`, `float32`. Options of a scheme have none here. */
export function isDefault(schema: z.ZodType | undefined, path: string, text: unknown): boolean {
  if (!(schema instanceof z.ZodObject) || typeof text !== 'string') return false
  const field = fieldsOf(schema).find((each) => each.of === undefined && each.path === path)
  return field?.schema instanceof z.ZodDefault && typedText(text, field) === field.schema.def.defaultValue
}

/** If one name has both a text and an object, the text is kept, and the schema refuses it as no object. */
function insert(options: Options, keys: readonly string[], value: unknown): void {
  let node = options
  for (const key of keys.slice(0, -1)) {
    node[key] ??= Object.create(null)
    if (typeof node[key] !== 'object') return
    node = node[key] as Options
  }
  node[keys.at(-1)!] = value
}

/** The options with the type, which may be given apart, among them, or in both ways. */
function named(root: string, name: string | undefined, options: Options): Options {
  if (name === undefined) return options
  const { type = name } = options
  if (typeof type === 'string' && type !== name) {
    const message = `${quoted(`${root}.type`)} must be ${name}, as in ${quoted(root)}. Given: ${type}`
    throw new InletError('invalid_request', message, `${root}.type`)
  }
  return { ...options, type }
}
