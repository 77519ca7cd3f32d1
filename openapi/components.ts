import { z } from 'zod'
import { type Json, type JsonObject, membersOf, metaOf, ref } from '../src/service/document/components.js'
import { plainSchema } from './plain-schema.js'

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
