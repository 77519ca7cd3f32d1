export type Json = null | boolean | number | string | readonly Json[] | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

/** A reference to a component: `ref('schemas', 'Model')` → `{ $ref: '#/components/schemas/Model' }`. */
export function ref(section: string, name: string): JsonObject {
  return { $ref: `#/components/${section}/${name}` }
}
