import { type ErrorCode, InletError, quoted } from '../../answer/error-table.js'
import { IdLists } from './id-lists.js'

/** A whole text: a string of a JSON body, or UTF-8 of a binary one. */
export type Text = string | Buffer

/** One text, or several: a document each. */
export type GivenTexts = Text | readonly Text[]

/** Documents as a request brings them: texts, ids, or the chunks of one text, in UTF-8, of which nothing has been read. */
export type Given = GivenTexts | IdLists | AsyncIterable<Uint8Array>

/** Whether texts came as a list, be it a list of one. */
export function isList(texts: GivenTexts): texts is readonly Text[] {
  return Array.isArray(texts)
}

/** How many documents there are. */
export function countOf(given: Given): number {
  if (given instanceof IdLists) return given.count
  return Array.isArray(given) ? given.length : 1
}

/** The first rule that a value breaks. */
export interface Fault {
  /** Where, within the field: `[1, 0]`. */
  readonly path: readonly number[]
  readonly message: string
  readonly code?: ErrorCode
  /** The wrong value as messages show it. */
  readonly given: string
}

/** A fault as the error that the caller gets. @param field of the value */
export function faultError({ path, message, code, given }: Fault, field: string): InletError {
  const param = [field, ...path].join('.')
  return new InletError(code ?? 'invalid_request', `${quoted(param)} ${message}. Given: ${given}`, param)
}
