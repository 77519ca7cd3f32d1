import { z } from 'zod'
import { type Json, type JsonObject, ref } from './json.js'
import { plainSchema } from './plain-schema.js'

interface Meta {
  readonly id?: string
  readonly written?: JsonObject
}

const metaOf = (schema: z.core.$ZodType) => z.globalRegistry.get(schema) as Meta | undefined

export function component<Schema extends z.ZodType>(
  id: string,
  schema: Schema,
  description?: string,
): Schema {
  z.globalRegistry.add(schema, { ...metaOf(schema), ...(description && { description }), id })
  return schema
}

export function object<Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) {
  return component(id, z.strictObject(shape))
}

/** A schema of which the document has another form than zod makes. */
export function written<Schema extends z.ZodType>(schema: Schema, form: JsonObject): Schema {
  z.globalRegistry.add(schema, { ...metaOf(schema), written: form })
  return schema
}

/** A union and its members, each a component: `ModelTables`, `ModelTablesSeed`. */
export function unionComponent<Schema extends z.ZodDiscriminatedUnion>(
  id: string,
  union: Schema,
  description: string,
  prefix = id,
): Schema {
  for (const option of membersOf(union)) component(`${prefix}${pascalCase(option.value)}`, option.schema)
  return component(id, union, description)
}

function membersOf({ options, def: { discriminator } }: z.ZodDiscriminatedUnion) {
  return (options as readonly z.ZodObject[]).map((schema) => {
    return { schema, value: String((schema.shape[discriminator] as z.ZodLiteral).value) }
  })
}

export function pascalCase(name: string): string {
  return name.replace(/(^|_)(\w)/g, (_, _separator, letter: string) => letter.toUpperCase())
}

/** The schemas of a document, as JSON Schema 2020-12 in the forms that generators take. */
export class Components {
  readonly schemas: Record<string, JsonObject> = {}

  readonly input = (schema: z.ZodType) => this.#made(schema, 'input')
  readonly output = (schema: z.ZodType) => this.#made(schema, 'output')

  resolved(schema: JsonObject): JsonObject {
    return this.schemas[nameOf(schema)] ?? schema
  }

  #made(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
    const within = z.object({ schema }) // so that the schema itself may be a component
    const made = z.toJSONSchema(within, { io, unrepresentable: 'any', override: (each) => forms(each, io) })
    const text = JSON.stringify(made).replaceAll('#/$defs/', '#/components/schemas/')
    const { properties, $defs = {} } = JSON.parse(text) as Record<string, Record<string, JsonObject>>
    for (const [id, each] of Object.entries($defs)) this.schemas[id] ??= plainSchema(each)
    return plainSchema(properties.schema)
  }
}

export const nameOf = ({ $ref }: JsonObject) => String($ref).split('/').at(-1) as string

interface Made {
  readonly zodSchema: z.core.$ZodType
  readonly jsonSchema: Record<string, unknown>
}

function forms({ zodSchema, jsonSchema }: Made, io: 'input' | 'output'): void {
  const form = metaOf(zodSchema)?.written
  const isReference = '$ref' in jsonSchema
  delete jsonSchema.written
  if (form !== undefined && (jsonSchema.id !== undefined || !isReference)) {
    for (const key of Object.keys(jsonSchema))
      if (!['id', 'description'].includes(key)) delete jsonSchema[key]
    Object.assign(jsonSchema, form)
  }
  if (io === 'output') {
    // Integers in answers need no bound of JSON's.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  } else if (zodSchema instanceof z.ZodDiscriminatedUnion && !isReference) {
    // Answers are told apart by their fields: with a discriminator, Rust's readers look for the constant twice.
    const references = membersOf(zodSchema).map(({ schema, value }): [string, Json] => [
      value,
      ref('schemas', metaOf(schema)?.id ?? '').$ref,
    ])
    const mapping = Object.fromEntries(references)
    jsonSchema.discriminator = { propertyName: zodSchema.def.discriminator, mapping }
  }
}
