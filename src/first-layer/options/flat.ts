import { z } from 'zod'
import { InletError, quoted } from '../errors.js'
import { type Field, fieldsOf } from './fields.js'

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
