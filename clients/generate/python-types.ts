import { type OpenApi, refName, type Schema } from './interface.js'

/** Arguments that take more than JSON has: arrays, and integers of 64 bits. */
export const WIDER: Readonly<Record<string, string>> = {
  input_ids: 'Ids',
  token_type_ids: 'Ids',
  vector: 'Numbers',
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

/**
 * A schema as an annotation: `{ type: 'array', items: { type: 'string' } }` → `Sequence[str]`.
 *
 * @param list the type of arrays: `Sequence` of what is given to a function, `List` of what it gives
 * @param nested names a class for the properties of an object
 */
export function pythonType(schema: Schema, list: string, nested: (schema: Schema) => string): string {
  const inner = (each: Schema) => pythonType(each, list, nested)
  if (schema.$ref) return refName(schema.$ref)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return union(choices.map(inner))
  if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`
  if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(', ')}]`
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => inner({ ...schema, type })))
  if (schema.type === 'array') return `${list}[${inner(schema.items!)}]`
  if (schema.type === undefined) return 'object' // any value
  if (schema.type !== 'object') return SCALARS[schema.type as string]
  if (schema.properties) return nested(schema)
  return `Dict[str, ${inner(schema.additionalProperties as Schema)}]`
}

function union(types: readonly string[]): string {
  const [only, ...others] = new Set(types)
  if (others.length === 0) return only
  return others.at(-1) === 'None' && others.length === 1
    ? `Optional[${only}]`
    : `Union[${[only, ...others].join(', ')}]`
}

/** A schema of `components` as a definition, after the classes of the objects in it. */
export function pythonDefinition(name: string, schema: Schema): string {
  const classes: string[] = []
  const define = (prefix: string, each: Schema, field?: string): string => {
    const names = Object.entries(each.properties!)
    if (names.some(([inside]) => !/^\w+$/.test(inside))) {
      const entries = names.map(([inside, inner]) => `"${inside}": ${pythonType(inner, 'List', unnamed)}`)
      // A class cannot have `wte.weight` as the name of a field.
      classes.push(`${prefix} = TypedDict("${prefix}", {${entries.join(', ')}}, total=False)`)
      return prefix
    }
    const kind = names.find(([, { const: value }]) => value !== undefined)?.[1].const
    // Of several classes for one field each is named for its own constant: `ModelTables` → `ModelTablesSeed`.
    const title = field === undefined || kind === undefined ? prefix : `${prefix}${capital(kind)}`
    const lines = (required: boolean) =>
      names
        .filter(([inside]) => (each.required?.includes(inside) ?? false) === required)
        .map(([inside, inner]) => {
          const type = pythonType(inner, 'List', (object) =>
            define(`${title}${capital(inside)}`, object, inside),
          )
          return `    ${inside}: ${type}`
        })
    const [needed, optional] = [lines(true), lines(false)]
    if (optional.length === 0) classes.push(`class ${title}(TypedDict):\n${needed.join('\n')}`)
    else if (needed.length === 0)
      classes.push(`class ${title}(TypedDict, total=False):\n${optional.join('\n')}`)
    else {
      classes.push(`class _${title}(TypedDict):\n${needed.join('\n')}`)
      classes.push(`class ${title}(_${title}, total=False):\n${optional.join('\n')}`)
    }
    return title
  }
  if (schema.properties) define(name, schema)
  else classes.push(`${name} = ${pythonType(schema, 'List', (object) => define(`${name}Value`, object))}`)
  return classes.join('\n\n\n')
}

function unnamed(): never {
  throw new Error('An object among fields that are no words must be a schema of components.')
}

/** `position_embedding` → `PositionEmbedding`. */
export function capital(name: string): string {
  return name
    .split('_')
    .map((word) => word[0].toUpperCase() + word.slice(1))
    .join('')
}

/** The module of what is asked and answered. */
export function pythonTypes(document: OpenApi, names: readonly string[]): string {
  const definitions = names.map((name) => pythonDefinition(name, document.components.schemas[name]))
  return definitions.join('\n\n\n')
}
