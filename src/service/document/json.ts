export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/** A reference to a component: `ref('schemas', 'Model')` → `{ $ref: '#/components/schemas/Model' }`. */
export function ref(section: string, name: string): JsonObject {
  return { $ref: `#/components/${section}/${name}` }
}

/** The same keys with other values. */
export function mapped<Value, Result>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]))
}
