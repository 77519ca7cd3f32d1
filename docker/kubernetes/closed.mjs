/** The schema that allows no field which it does not name, as `fieldValidation: Strict` does. */
export function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const all = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  if (schema['x-kubernetes-int-or-string']) return {}
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties !== undefined
  if (schema.type === 'object' && schema.properties !== undefined && !isOpen) all.additionalProperties = false
  return all
}
