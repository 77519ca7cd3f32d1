import { z } from 'zod'

/**
 * How a value is written where there is only text. `long_integer`: beyond what JSON's numbers count, so its
 * text is kept. `scheme`: the name of a type, or an object with that `type` and its options. `object`: such
 * an object, never the name alone. `type`: the name in an object.
 */
export type FieldKind =
  | 'boolean'
  | 'integer'
  | 'number'
  | 'long_integer'
  | 'string'
  | 'list'
  | 'scheme'
  | 'object'
  | 'type'

interface Form {
  readonly kind: FieldKind
  /** Texts with a special meaning: the values of an enum, or a word that replaces a list. */
  readonly words?: readonly string[]
  /** For a scheme and an object: type → the object with that type. */
  readonly members?: ReadonlyMap<string, z.ZodObject>
}

export interface Field extends Form {
  /** With dots: `context_length`, `position_embedding.scaling.factor`. */
  readonly path: string
  readonly schema: z.ZodType
  /** The schema's own, or that of the schema of which it is an optional form. */
  readonly description: string
  /** For an option: the type that has it. Options of several types are listed once for each. */
  readonly of?: string
}

/** The forms of schemas with custom checks, which cannot be read from the schema. */
export const customForms = z.registry<Pick<Form, 'kind' | 'words'>>()

/**
 * Every field of a schema and, after a scheme or an object, the options of all its types. `{ stride, position_embedding }` →
 * `stride`, `position_embedding`, `position_embedding.type` of `none`, … `position_embedding.scaling.factor` of `yarn`, …
 */
export function fieldsOf(schema: z.ZodObject): readonly Field[] {
  return fieldsUnder(schema, '')
}

function fieldsUnder(object: z.ZodObject, prefix: string, of?: string): Field[] {
  const shape = Object.entries(object.shape as Readonly<Record<string, z.ZodType>>)
  return shape.flatMap(([name, schema]) => {
    const form = of !== undefined && name === 'type' ? ({ kind: 'type' } as const) : formOf(schema)
    const path = prefix + name
    const options = [...(form.members ?? [])].flatMap(([type, each]) => fieldsUnder(each, `${path}.`, type))
    return [
      { path, schema, description: descriptionOf(schema), ...form, ...(of !== undefined && { of }) },
      ...options,
    ]
  })
}

function descriptionOf(schema: z.ZodType): string {
  const { description } = schema
  if (description !== undefined) return description
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
  return isWrapped ? descriptionOf(schema.unwrap() as z.ZodType) : ''
}

function formOf(schema: z.core.$ZodType): Form {
  const custom = customForms.get(schema)
  if (custom !== undefined) return custom
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return formOf(schema.unwrap())
  if (schema instanceof z.ZodPreprocess) {
    const { kind, ...form } = formOf(schema.out)
    return { kind: kind === 'object' ? 'scheme' : kind, ...form } // it makes an object of the name
  }
  if (schema instanceof z.ZodPipe) return formOf(schema.in)
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const members = (schema.options as z.ZodObject[]).map((each) => [typeOf(each), each] as const)
    return { kind: 'object', members: new Map(members) }
  }
  if (schema instanceof z.ZodNumber)
    return { kind: schema instanceof z.ZodNumberFormat ? 'integer' : 'number' }
  if (schema instanceof z.ZodBoolean) return { kind: 'boolean' }
  if (schema instanceof z.ZodArray) return { kind: 'list' }
  if (schema instanceof z.ZodLiteral && [...schema.values].every(Number.isFinite)) return { kind: 'number' }
  return { kind: 'string', ...(schema instanceof z.ZodEnum && { words: schema.options.map(String) }) }
}

function typeOf({ shape }: z.ZodObject): string {
  return String((shape.type as z.ZodLiteral).value)
}
