import { parsePythonJson } from '../../../first-layer/python-json.js'
import { InletError, quoted, shown } from '../../answer/error-table.js'
import { faultError } from '../../request/body/given.js'
import type { IdLists } from '../../request/body/id-lists.js'
import { checkUnicode, parseJson } from '../../request/body/json.js'
import { isFault, readIdList } from '../../request/fields/given-field.js'
import { isRefusedMember, refusedMember } from './refused-members.js'

/** The member that has a line's ids. */
export const IDS_FIELD = 'input_ids'

/** A line's document. */
export interface LineDocument {
  /** The member that it stands in. */
  readonly field: string
  /** Its text or its ids; undefined where it is empty. */
  readonly given: string | IdLists | undefined
}

/**
 * One line of an upload: `{"text": "a", "meta": {}}` → its text, `{"input_ids": [1, 2]}` → its ids; undefined: it is blank.
 * `NaN` and `Infinity` are read as Python writes them. Members of other names are not looked at, be they Unicode or not, but
 * for those that mean something to trainers: they are refused.
 *
 * @throws InletError `invalid_json`, `invalid_request`, `invalid_unicode`
 */
export function lineDocument(line: string, textField: string): LineDocument | undefined {
  if (line.trim() === '') return undefined
  const value = parseJson(line, parsePythonJson)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InletError('invalid_request', `the line must be an object. Given: ${shown(value)}`)
  const refused = Object.keys(value).find((name) => name !== textField && isRefusedMember(name))
  if (refused !== undefined) throw refusedMember(refused)
  const [text, ids] = [own(value, textField), own(value, IDS_FIELD)]
  if (text !== undefined && ids !== undefined) {
    const message = `${quoted(IDS_FIELD)} must not be given beside ${quoted(textField)}. Given: ${shown(ids)}`
    throw new InletError('invalid_request', message, IDS_FIELD)
  }
  if (ids !== undefined) {
    const given = readIdList(ids)
    if (!isFault(given)) return { field: IDS_FIELD, given }
    if (given.code === 'empty_input') return { field: IDS_FIELD, given: undefined }
    throw faultError(given, IDS_FIELD)
  }
  checkUnicode({ [textField]: text }, line)
  if (typeof text === 'string') return { field: textField, given: text === '' ? undefined : text }
  const message =
    text === undefined
      ? `${quoted(textField)} or ${quoted(IDS_FIELD)} is needed. Given: neither`
      : `${quoted(textField)} must be a string. Given: ${shown(text)}`
  throw new InletError('invalid_request', message, textField)
}

function own(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}
