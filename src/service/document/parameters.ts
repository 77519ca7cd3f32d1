import type { z } from 'zod'
import { type Field, fieldsOf } from '../request/fields/fields.js'
import type { Components } from './components.js'
import type { JsonObject } from './json.js'
import { plainSchema } from './plain-schema.js'

type Schemas = Readonly<Record<string, JsonObject>>

const TEXT = { type: 'string' }
export const NUMBER = { type: 'integer', minimum: 0 }

export function inPath(name: string, description: string, schema: JsonObject = TEXT): JsonObject {
  return { name, in: 'path', required: true, description, schema: plainSchema(schema) }
}

export function inHead(name: string, description: string, rest: JsonObject = {}): JsonObject {
  return { name, in: 'header', description, schema: TEXT, ...rest }
}

/** Parameters of paths and heads that several features have. */
const SHARED: Schemas = {
  model_path: inPath('model', 'Id of the model.'),
  if_none_match: inHead('If-None-Match', 'ETags of what the caller has: then 304.'),
}

/** The parameters of a document, each a component once it has been asked for. */
export class Parameters {
  readonly used: Record<string, JsonObject> = {}

  constructor(
    readonly components: Components,
    readonly own: Schemas,
  ) {}

  /** A parameter of a path or a head. @returns the name of its component, which is `name` */
  named(name: string): string {
    this.used[name] ??= this.own[name] ?? SHARED[name]
    return name
  }

  /**
   * The parameters of a query string. One that is there already is used again if it is the same, or if the query has no
   * prefix: then it is one of those beside a text. A component is never named as a schema is: some generators make a type
   * of each.
   *
   * @returns the names of their components: `scaling.factor` → `query_scaling_factor`
   */
  query(schema: z.ZodObject, prefix?: string): string[] {
    return queryParameters(schema, this.components).map((parameter) => {
      const name = parameterName(parameter.name as string)
      const there = this.used[name]
      const isSame = JSON.stringify(there) === JSON.stringify(parameter)
      if (there === undefined && prefix === undefined) this.used[name] = parameter
      if (prefix === undefined && parameter.required === this.used[name].required) return name
      if (isSame) return name
      const own = prefix === undefined ? `${name}_needed` : parameterName(`${prefix}.${parameter.name}`)
      this.used[own] = parameter
      return own
    })
  }
}

const parameterName = (name: string) => `query_${name.replaceAll('.', '_')}`

/** The fields of a schema as parameters of a query string: first its own, then the options of schemes. */
function queryParameters(schema: z.ZodObject, components: Components): JsonObject[] {
  const fields = fieldsOf(schema)
  const own = fields.filter(({ of }) => of === undefined)
  const options = fields.filter(({ of, kind, path }) => {
    const isNameAgain = kind === 'type' && own.some((field) => `${field.path}.type` === path)
    return of !== undefined && kind !== 'object' && !isNameAgain
  })
  const paths = [...new Set(options.map(({ path }) => path))]
  const optionsOf = (path: string) => options.filter((each) => each.path === path)
  return [
    ...own.map((field) => ownParameter(field, components)),
    ...paths.map((path) => option(path, optionsOf(path), fields, components)),
  ]
}

function ownParameter(field: Field, components: Components): JsonObject {
  const { path: name, kind, words = [], members } = field
  const { description = field.description, ...schema } = components.input(field.schema)
  const needed: JsonObject = field.schema.safeParse(undefined).success ? {} : { required: true }
  const parameter = (schema: JsonObject) => ({ name, in: 'query', ...needed, description, schema })
  if (kind === 'scheme') return parameter({ type: 'string', enum: [...members!.keys()] })
  if (kind !== 'list') return parameter(schema)
  const [, list] = (components.resolved(schema).oneOf ?? []) as readonly JsonObject[]
  // Without its word, which looks like a list of one.
  return { ...parameter(words.length > 0 ? list : schema), style: 'form', explode: false }
}

/** An option that one or several types have: its schema allows what any of them allows. */
function option(
  path: string,
  alternatives: readonly Field[],
  fields: readonly Field[],
  components: Components,
): JsonObject {
  if (alternatives[0].kind === 'type') {
    const { description, of } = fields.find((field) => field.path === parentOf(path))!
    const schema = { type: 'string', enum: alternatives.map(({ of }) => of as string) }
    return {
      name: path,
      in: 'query',
      schema,
      description: `${description} Only where ${isOneOf(parentOf(path), [of!])}.`,
    }
  }
  const typesOf = new Map<string, string[]>()
  const schemas = alternatives.map(({ schema: field, of }) => {
    const { description = '', ...schema } = components.input(field)
    typesOf.set(description as string, [...(typesOf.get(description as string) ?? []), of!])
    return schema
  })
  const [one, ...others] = new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()
  return {
    name: path,
    in: 'query',
    schema: others.length === 0 ? one : plainSchema({ anyOf: [one, ...others] }),
    description: optionDescription(path, typesOf),
  }
}

/**
 * The description of an option, with its condition in words, since OpenAPI cannot make a parameter depend on another
 * one; a paragraph for each meaning.
 */
function optionDescription(path: string, typesOf: ReadonlyMap<string, readonly string[]>): string {
  const [[description, types], ...others] = typesOf
  if (others.length === 0) return `${description} Only where ${isOneOf(path, types)}.`.trim()
  return [...typesOf].map(([text, types]) => `Where ${isOneOf(path, types)}: ${text}`).join('\n\n')
}

/** The types that have an option: `position_embedding.base` → `` `position_embedding` is `sinusoidal` ``. */
function isOneOf(path: string, types: readonly string[]): string {
  const parent = parentOf(path)
  const names = types.map((type) => `\`${type}\``).join(', ')
  return `\`${parent.includes('.') ? `${parent}.type` : parent}\` is ${names.replace(/, (?=[^,]*$)/, ' or ')}`
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'))
}
