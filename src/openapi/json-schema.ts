import { z } from 'zod'
import type { JsonObject } from './json.js'

/** A zod schema as JSON Schema 2020-12, for the input that a caller writes, before defaults and conversions. */
export function jsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest as JsonObject
}

/** A zod schema as JSON Schema 2020-12, for the output that the service writes: its integers need no bound of JSON's. */
export function outputSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'output',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  return rest as JsonObject
}
