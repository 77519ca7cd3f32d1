import { InletError, shown } from '../../../service/answer/error-table.js'

/** A number in a path. @throws InletError `invalid_request` */
export function naturalNumber(name: string, given: string): number {
  const number = Number(given)
  if (/^\d{1,16}$/.test(given) && Number.isSafeInteger(number)) return number
  const rule = 'must be an integer from 0 to 9007199254740991'
  throw new InletError('invalid_request', `\`${name}\` ${rule}. Given: ${shown(given)}`, name)
}
