import { InletError, quoted, shown } from '../../../service/answer/error-table.js'

/** 400 `invalid_request` about a field: "`shape` must have 1 axis. Given: [2, 3]". */
export function invalid(field: string, rule: string, given: unknown): InletError {
  return new InletError('invalid_request', `${quoted(field)} ${rule}. Given: ${shown(given)}`, field)
}
