import { z } from 'zod'
import { findScheme } from './position-embedding.js'
import { type PositionProblem, refuse } from './scheme.js'

interface Tree {
  [key: string]: string | Tree
}

const ROOT = 'position_embedding'
const DECIMAL = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i

/**
 * The `position_embedding` of a query string, whose objects are flattened with dots, as the object that
 * `positionEmbeddingSchema` parses: numbers and booleans take the form that the scheme's options ask for.
 *
 * `position_embedding=rope&position_embedding.head_dim=64&position_embedding.scaling.type=linear` →
 * `{ type: 'rope', head_dim: 64, scaling: { type: 'linear' } }`. Undefined where no field is a part of it.
 * A value that does not look like the option's type stays a string, and parsing refuses it by name.
 */
export function positionEmbeddingFromQuery(
  fields: Iterable<readonly [string, string]>,
): { readonly value: unknown } | { readonly problem: PositionProblem } | undefined {
  const tree: Tree = Object.create(null)
  let named: string | undefined
  let found = false
  for (const [field, text] of fields) {
    if (field === ROOT) named = text
    else if (field.startsWith(`${ROOT}.`)) insert(tree, field.split('.').slice(1), text)
    else continue
    found = true
  }
  if (!found) return undefined
  if (named !== undefined && tree.type !== undefined && tree.type !== named) {
    return { problem: refuse('type', `must be what position_embedding says, ${named}`, tree.type) }
  }
  if (named !== undefined) tree.type = named
  const scheme = typeof tree.type === 'string' ? findScheme(tree.type) : undefined
  return { value: scheme ? typed(tree, scheme.options) : tree }
}

/** Where one name has both a text and an object, the text stays, and parsing says that it is no object. */
function insert(tree: Tree, path: readonly string[], text: string): void {
  let node = tree
  for (const key of path.slice(0, -1)) {
    node[key] ??= Object.create(null) as Tree
    const next = node[key]
    if (typeof next === 'string') return
    node = next
  }
  node[path.at(-1)!] = text
}

function typed(value: string | Tree | undefined, schema: z.core.$ZodType): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    return typed(value, schema.unwrap())
  }
  if (typeof value === 'string') return typedText(value, schema)
  if (value === undefined) return undefined
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries(value).map(([key, entry]) => {
      const field: z.core.$ZodType | undefined = schema.shape[key]
      return [key, field ? typed(entry, field) : entry]
    })
    return Object.fromEntries(entries)
  }
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const option = schema.options.find((each) => {
      return each instanceof z.ZodObject && each.shape.type?.safeParse(value.type).success
    })
    return option ? typed(value, option) : value
  }
  return value
}

function typedText(text: string, schema: z.core.$ZodType): unknown {
  const numeric =
    schema instanceof z.ZodNumber ||
    (schema instanceof z.ZodLiteral && [...schema.values].every((each) => typeof each === 'number'))
  if (numeric && DECIMAL.test(text)) return Number(text)
  if (schema instanceof z.ZodBoolean && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
