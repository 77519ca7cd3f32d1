import type { z } from 'zod'
import { rawTextOptions } from '../wire/schemas/embedding-request.js'
import { type Field, fieldsOf } from '../wire/schemas/fields.js'
import { grouped } from './grouped.js'
import type { JsonObject } from './json.js'
import { jsonSchema } from './json-schema.js'
import { plainSchema } from './plain-schema.js'
import { SCHEME_NAME } from './position-schemas.js'
import { NAMED_FIELDS } from './request-schemas.js'

type Schemas = Readonly<Record<string, JsonObject>>

/** The fields of a schema as parameters of a query string, by name: first its own, then the options of schemes. */
export function queryParameters(schema: z.ZodObject): Schemas {
  const fields = fieldsOf(schema)
  const own = fields.filter(({ of }) => of === undefined)
  const options = fields.filter(({ of, kind, path }) => {
    const isNameAgain = kind === 'type' && own.some((field) => `${field.path}.type` === path)
    return of !== undefined && kind !== 'object' && !isNameAgain
  })
  const parameters = [
    ...own.map(ownParameter),
    ...[...grouped(options, ({ path }) => path)].map(([path, alternatives]) =>
      option(path, alternatives, fields),
    ),
  ]
  return Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter]))
}

function ownParameter({ path: name, kind, words = [], description, schema: field }: Field): JsonObject {
  const { description: own = description, ...plain } = plainSchema(jsonSchema(field))
  const parameter = (schema: JsonObject) => ({ name, in: 'query', description: own, schema })
  if (kind === 'scheme') return parameter(SCHEME_NAME)
  const schema = NAMED_FIELDS[name] ?? plain
  if (kind !== 'list') return parameter(schema)
  const [, list] = (schema.oneOf ?? []) as readonly JsonObject[] // without its word, which looks like a list of one
  return { ...parameter(words.length > 0 ? list : schema), style: 'form', explode: false }
}

/** An option that one or several types have: its schema allows what any of them allows. */
function option(path: string, alternatives: readonly Field[], fields: readonly Field[]): JsonObject {
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
    const { description = '', ...schema } = plainSchema(jsonSchema(field))
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

/** The path parameter of a model. */
const MODEL: JsonObject = {
  name: 'model',
  in: 'path',
  required: true,
  description: 'Id of the model.',
  schema: { type: 'string' },
}

const VERSION: JsonObject = {
  name: 'version',
  in: 'path',
  required: true,
  description: 'Its present version: there is no other.',
  schema: { type: 'string', pattern: '^[0-9]+$' },
}

const JSON_LENGTH: JsonObject = {
  name: 'Inference-Header-Content-Length',
  in: 'header',
  description:
    'Bytes of JSON at the body’s beginning, where those of binary inputs follow; 0: the body is one text.',
  schema: { type: 'integer', minimum: 0, maximum: 2147483647 },
}

function conditional(name: string, description: string): JsonObject {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

const IF_MATCH = conditional(
  'If-Match',
  'ETags of the tables that may be exchanged, or `*`: others are left as they are, with 412.',
)
const IF_NONE_MATCH = conditional('If-None-Match', 'ETags of the tables that the caller has: then 304.')

/** Parameters that are named for what they are; all others stand in a query string. */
const OTHERS: Schemas = {
  model_path: MODEL,
  version_path: VERSION,
  json_length: JSON_LENGTH,
  if_match: IF_MATCH,
  if_none_match: IF_NONE_MATCH,
}

/**
 * The component's name for a parameter: `scaling.factor` → `query_scaling_factor`. Some generators make a type of each
 * component, so that a parameter must not be named as a schema is.
 */
export function componentName(parameter: string): string {
  return parameter in OTHERS ? parameter : `query_${parameter.replaceAll('.', '_')}`
}

/** Every parameter as a component. */
export function parameters(): Schemas {
  const named = Object.entries(queryParameters(rawTextOptions)).map(
    ([name, value]) => [componentName(name), value] as const,
  )
  const all = Object.fromEntries(named)
  const needed = {
    ...all.query_context_length,
    required: true,
    description: 'T: how many positions.',
  }
  return { ...OTHERS, query_context_length_needed: needed, ...all }
}
