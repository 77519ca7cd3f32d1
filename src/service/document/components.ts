import { z } from 'zod'
import type { JsonObject } from './json.js'

interface Meta {
  readonly id?: string
  readonly written?: JsonObject
}

export const metaOf = (schema: z.core.$ZodType) => z.globalRegistry.get(schema) as Meta | undefined

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

export function membersOf({ options, def: { discriminator } }: z.ZodDiscriminatedUnion) {
  return (options as readonly z.ZodObject[]).map((schema) => {
    return { schema, value: String((schema.shape[discriminator] as z.ZodLiteral).value) }
  })
}

export function pascalCase(name: string): string {
  return name.replace(/(^|_)(\w)/g, (_, _separator, letter: string) => letter.toUpperCase())
}
