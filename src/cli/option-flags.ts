import { queryReader } from '../wire/query.js'
import { rawTextOptions } from '../wire/schemas/embedding-request.js'
import { fieldsOf } from '../wire/schemas/fields.js'
import { FieldFlags } from './field-flags.js'

const readQuery = queryReader(rawTextOptions)
const fields = new FieldFlags(fieldsOf(rawTextOptions))

/** The options of `POST /v1/input-embeddings` as flags. */
export const { flags: optionFlags, schemeFlags } = fields

/** Flags as the query string of `POST /v1/input-embeddings`. @throws UsageError for a scheme that is no JSON */
export function optionQuery(values: ReadonlyMap<string, string>): string {
  return fields.query(values)
}

/** Checks the values before a text is read. @throws UsageError that names the flag, the rule and the value given */
export function checkOptions(query: string): void {
  fields.checked(() => readQuery(query))
}
