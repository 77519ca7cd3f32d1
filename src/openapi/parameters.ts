import { z } from 'zod'
import { optionFields } from '../wire/schemas/embedding-request.js'
import { type Json, type JsonObject, ref } from './json.js'
import { jsonSchema, requestSchemas } from './request-schemas.js'

type Schemas = Readonly<Record<string, JsonObject>>

const POSITION = 'position_embedding'

function component(schemas: Schemas, schema: Json): JsonObject {
  const { $ref } = schema as { $ref?: string }
  return $ref === undefined ? (schema as JsonObject) : schemas[$ref.split('/').at(-1) as string]
}

/** An option of a position scheme, and the `type` that has it. */
interface Alternative {
  readonly property: JsonObject
  readonly of: string
}

/** The options of all members of a union under dotted names: `base`, `scaling.factor`, … */
function flattened(schemas: Schemas, union: JsonObject, prefix: string): Map<string, Alternative[]> {
  const found = new Map<string, Alternative[]>()
  for (const member of union.oneOf as readonly Json[]) {
    const { properties } = component(schemas, member) as { properties: Schemas }
    const of = String(properties.type.const)
    for (const [name, property] of Object.entries(properties)) {
      const target = component(schemas, property)
      if (target.oneOf !== undefined) {
        for (const [path, all] of flattened(schemas, target, `${prefix}${name}.`)) found.set(path, all)
      } else if (name !== 'type' || prefix !== '') {
        found.set(prefix + name, [...(found.get(prefix + name) ?? []), { property, of }])
      }
    }
  }
  return found
}

/** The condition of an option in words, since OpenAPI cannot say that a parameter depends on another one. */
function condition(path: string, alternatives: readonly Alternative[]): string {
  const parent = path.includes('.') ? `${POSITION}.${path.replace(/\.[^.]*$/, '.type')}` : POSITION
  const types = alternatives
    .map(({ of }) => `\`${of}\``)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ')
  return path.endsWith('.type') ? '' : `Only where \`${parent}\` is ${types}.`
}

/** The schema of an option that several schemes have: it allows what any of them allows. */
function merged(
  path: string,
  alternatives: readonly Alternative[],
): { schema: JsonObject; description: string } {
  const descriptions = new Set<string>()
  const schemas = new Map<string, JsonObject>()
  for (const { description, default: _, ...schema } of alternatives.map(({ property }) => property)) {
    if (description !== undefined) descriptions.add(description as string)
    schemas.set(JSON.stringify(schema), schema)
  }
  const values = [...schemas.values()]
  const types = values.filter((schema) => 'const' in schema)
  const schema =
    types.length === values.length
      ? { type: 'string', enum: types.map((type) => type.const) }
      : values.length === 1
        ? values[0]
        : { anyOf: values }
  descriptions.add(condition(path, alternatives))
  return { schema, description: [...descriptions].join(' ') }
}

/** The parameters `position_embedding.NAME` of a query string. */
export function positionParameters(): Schemas {
  const schemas = requestSchemas()
  const options = flattened(schemas, schemas.PositionEmbeddingOptions, '')
  const parameters = [...options].map(([path, alternatives]) => {
    const name = `${POSITION}.${path}`
    return [name, { name, in: 'query', ...merged(path, alternatives) }] as const
  })
  return Object.fromEntries(parameters)
}

/** The options of an embedding request as parameters of a query string. */
export function optionParameters(): Schemas {
  const { properties } = jsonSchema(z.object(optionFields)) as { properties: Schemas }
  const parameters = Object.entries(properties).map(([name, { description, ...schema }]) => {
    const parameter = { name, in: 'query', description: description ?? '', schema: querySchema(name, schema) }
    const isList = name === 'outputs' || name === 'allowed_special'
    return [name, isList ? { ...parameter, style: 'form', explode: false } : parameter] as const
  })
  return { ...Object.fromEntries(parameters), ...positionParameters() }

  function querySchema(name: string, schema: JsonObject): JsonObject {
    if (name === POSITION) return ref('schemas', 'PositionEmbeddingType')
    if (name === 'architecture') return ref('schemas', 'Architecture')
    if (name === 'outputs') return { ...schema, uniqueItems: true, items: ref('schemas', 'OutputName') }
    if (name !== 'allowed_special') return schema
    const [, list] = schema.anyOf as readonly JsonObject[] // without `all`: it looks like a list of one
    return list
  }
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

/** The component's name for a parameter: `scaling.factor` → `scaling_factor`. */
export const componentName = (parameter: string): string => parameter.replaceAll('.', '_')

/** Every parameter as a component. */
export function parameters(): Schemas {
  const named = Object.entries(optionParameters()).map(
    ([name, value]) => [componentName(name), value] as const,
  )
  const all = Object.fromEntries(named)
  const needed = {
    ...all.context_length,
    required: true,
    description: 'T: how many positions.',
  }
  return {
    model_path: MODEL,
    version_path: VERSION,
    json_length: JSON_LENGTH,
    if_match: IF_MATCH,
    if_none_match: IF_NONE_MATCH,
    context_length_needed: needed,
    ...all,
  }
}
