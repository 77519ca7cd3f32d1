import { InletError, shown } from '../../errors.js'

/** The error for a field of a tokenizer's file that breaks a rule of the format. */
export function malformed(field: string, rule: string, given: unknown, file = 'tokenizer.json'): InletError {
  return new InletError('model_failed', `${file}: \`${field}\` ${rule}. Given: ${shown(given)}`, 'model')
}

export type Fields = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object that must be there. @throws InletError `model_failed` */
export function objectAt(value: unknown, field: string): Fields {
  if (!isObject(value)) throw malformed(field, 'must be an object', value)
  return value
}

/** A list, which may be absent or null: then empty. @throws InletError `model_failed` */
export function listAt(value: unknown, field: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw malformed(field, 'must be a list', value)
  return value
}

/** A string that must be there. @throws InletError `model_failed` */
export function stringAt(value: unknown, field: string): string {
  if (typeof value !== 'string') throw malformed(field, 'must be a string', value)
  return value
}

/** Highest id that any file may give: an id takes a row of the table, and places in the vocabulary's lists. */
const MAX_ID = 2 ** 24 - 1

/** A token id; `name` is the field's own under `field`. @throws InletError `model_failed` */
export function idAt(value: unknown, field: string, name = ''): number {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_ID) return value as number
  throw malformed(name === '' ? field : `${field}.${name}`, `must be an integer from 0 to ${MAX_ID}`, value)
}
