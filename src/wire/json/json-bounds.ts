import { InletError, quoted } from '../../errors.js'

// Bounds of bodies of JSON. The bodies of completions are passed on: what is skipped in them has no bound.

/** Most levels of arrays and objects in a body, the body's own object included. */
export const MAX_DEPTH = 64
/** Most members of one object. */
export const MAX_KEYS = 256
/** Most bytes of JSON of a key, or of a value that is neither text nor ids. */
export const MAX_SHORT_BYTES = 65_536

/**
 * The error for a body beyond these bounds, which no request can need. It does not show how large the value is:
 * the reader stops at the bound.
 *
 * @param field undefined: the body as a whole
 */
export function outOfBounds(field: string | undefined, rule: string): InletError {
  const name = field === undefined ? 'The request' : quoted(field)
  return new InletError('invalid_request', `${name} must ${rule}. Given: more`, field ?? null)
}

export function tooDeep(field: string | undefined): InletError {
  return outOfBounds(field, `be nested at most ${MAX_DEPTH} deep in the body`)
}

export function tooManyKeys(field: string | undefined): InletError {
  return outOfBounds(field, `have at most ${MAX_KEYS} keys in an object`)
}

export function tooManyDocuments(field: string, most: number): InletError {
  return outOfBounds(field, `have at most ${most} documents (MAX_DOCUMENTS)`)
}

export function tooLong(field: string | undefined): InletError {
  if (field !== undefined) return outOfBounds(field, `be at most ${MAX_SHORT_BYTES} bytes of JSON`)
  return outOfBounds(undefined, `be an object with keys of at most ${MAX_SHORT_BYTES} bytes of JSON`)
}
