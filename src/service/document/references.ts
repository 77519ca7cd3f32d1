import { type Json, type JsonObject, ref } from './json.js'

type Schemas = Readonly<Record<string, JsonObject>>

/** Below this length a reference would be longer than the schema. */
const WORTH_NAMING = 70

/**
 * Replaces each schema below `value` that equals a component by a reference to it: `{ type: 'array', items: TOKEN }` →
 * `{ type: 'array', items: { $ref: '#/components/schemas/Token' } }`. A description stays beside it. An integer is none:
 * what it counts is not in its schema.
 */
export function withReferences<Value extends Json>(value: Value, components: Schemas): Value {
  const names = new Map<string, string>()
  for (const [name, schema] of Object.entries(components)) {
    const key = JSON.stringify(bare(schema))
    if (key.length > WORTH_NAMING && schema.type !== 'integer') names.set(key, name)
  }
  const replaced = (value: Json): Json => {
    if (!isObject(value)) return Array.isArray(value) ? value.map(replaced) : value
    const name = names.get(JSON.stringify(bare(value)))
    if (
      name === undefined ||
      (components[name].description !== undefined && value.description === undefined)
    ) {
      return below(value)
    }
    const { description } = value
    return {
      ...ref('schemas', name),
      ...(description !== components[name].description && { description: description as Json }),
    }
  }
  const below = (object: JsonObject) =>
    Object.fromEntries(Object.entries(object).map(([key, item]) => [key, replaced(item)]))
  return (isObject(value) ? below(value) : replaced(value)) as Value
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function bare({ description: _, ...rest }: JsonObject): JsonObject {
  return rest
}
