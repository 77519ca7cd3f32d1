import { InletError } from '../../answer/error-table.js'
import { MAX_INT32 } from '../../request/body/id-lists.js'

/** The bound of ids of a dataset without an encoding: 2^31. */
export const ANY_ID = MAX_INT32 + 1

/** The index of the first of `ids`, from `from` on, that is negative or not below `limit`; −1 where all are right. */
export function placeOfWrong(ids: Int32Array, limit: number, from = 0): number {
  for (let i = from; i < ids.length; i++) if (ids[i]! < 0 || ids[i]! >= limit) return i
  return -1
}

/** The error for an id at `place`. @param given the id as it was sent */
export function idOutOfRange(place: number, given: number, limit: number): InletError {
  const most = limit < ANY_ID ? `below ${limit}, the encoding’s number of ids` : `at most ${MAX_INT32}`
  const rule = given < 0 ? 'at least 0' : most
  const message = `\`input_ids.${place}\` must be ${rule}. Given: ${given}`
  return new InletError('token_out_of_range', message, `input_ids.${place}`)
}
