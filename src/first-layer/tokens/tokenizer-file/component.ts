import { typeOf } from './fields.js'

/** A part of the file in few words: `normalizer Precompiled`. */
export function component(field: string, value: unknown): string {
  return `${field} ${typeOf(value)?.slice(0, 40).toWellFormed() ?? (value === null || value === undefined ? 'null' : 'of no known type')}`
}
