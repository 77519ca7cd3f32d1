/** How a language writes the values of JSON. */
export interface Dialect {
  readonly yes: string
  readonly no: string
}

export const JSON_DIALECT: Dialect = { yes: 'true', no: 'false' }
export const PYTHON_DIALECT: Dialect = { yes: 'True', no: 'False' }

/**
 * Fields as the literal of a language, one on each line:
 * `{ text: 'a', shuffle: true }` → `{\n    "text": "a",\n    "shuffle": True,\n}` in Python.
 *
 * A string is JSON's: what JSON escapes, Python reads the same.
 *
 * @param indent before the closing brace; the fields have `step` more
 */
export function fieldLines(
  fields: object,
  dialect: Dialect,
  { indent = '', step = '    ', lastComma = true } = {},
): string {
  const lines = Object.entries(fields).map(
    ([name, value]) => `${indent}${step}${JSON.stringify(name)}: ${literal(value, dialect)}`,
  )
  return `{\n${lines.join(',\n')}${lastComma ? ',' : ''}\n${indent}}`
}

/** A value on one line. */
export function literal(value: unknown, dialect: Dialect): string {
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, dialect)).join(', ')}]`
  if (typeof value === 'boolean') return value ? dialect.yes : dialect.no
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${literal(each, dialect)}`,
  )
  return `{ ${fields.join(', ')} }`
}
