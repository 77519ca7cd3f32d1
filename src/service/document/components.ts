import { z } from 'zod'

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

export const text = (description: string) => z.string().describe(description)
export const flag = (description: string) => z.boolean().describe(description)
export const count = (description: string) => z.int().min(0).describe(description)

export const answeredModel = {
  model: text('Id of the model.'),
  model_version: text('The version of its tables.'),
}

export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/** A reference to a component: `ref('schemas', 'Model')` → `{ $ref: '#/components/schemas/Model' }`. */
export function ref(section: string, name: string): JsonObject {
  return { $ref: `#/components/${section}/${name}` }
}
