import type { z } from 'zod'
import { type JsonObject, ref } from './json.js'

/** A union of objects that are told apart by a constant of one of their properties. */
export interface NamedUnion {
  readonly name: string
  /** The beginning of its members' names. Default: its own name. */
  readonly prefix?: string
  readonly description: string
  /** The property that has the constant. */
  readonly by: string
  /** The constant → the object that has it. */
  readonly members: ReadonlyMap<string, z.ZodObject>
}

/** `transformer_xl` → `TransformerXl`. */
export function pascalCase(name: string): string {
  return name.replace(/(^|_)(\w)/g, (_, _separator, letter: string) => letter.toUpperCase())
}

/** A union and its members, each as a component of its own: `ModelTables`, `ModelTablesSeed`, … */
export function unionSchemas(
  { name, prefix = name, description, by, members }: NamedUnion,
  schemaOf: (schema: z.ZodType) => JsonObject,
): Readonly<Record<string, JsonObject>> {
  const named = [...members].map(
    ([value, schema]) => [value, `${prefix}${pascalCase(value)}`, schema] as const,
  )
  return {
    [name]: {
      description,
      oneOf: named.map(([, member]) => ref('schemas', member)),
      discriminator: {
        propertyName: by,
        mapping: Object.fromEntries(
          named.map(([value, member]) => [value, `#/components/schemas/${member}`]),
        ),
      },
    },
    ...Object.fromEntries(named.map(([, member, schema]) => [member, schemaOf(schema)])),
  }
}
