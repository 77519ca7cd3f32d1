import { type ErrorCode, InletError } from '../../errors.js'
import { InvalidJson } from '../../wire/json/invalid-json.js'

/** Codes of errors that a line itself causes; all others are the service’s or the sink’s. */
const OF_A_LINE: ReadonlySet<ErrorCode> = new Set([
  'invalid_request',
  'invalid_unicode',
  'body_too_large',
  'token_out_of_range',
  'tokenizer_unavailable',
])

/** The error with the number of the line that causes it: "Line 3: `text` must be a string. Given: 4". */
export function atLine(error: unknown, line: number): unknown {
  if (error instanceof InvalidJson) return error.inLine(line)
  if (!(error instanceof InletError) || !OF_A_LINE.has(error.code)) return error
  return new InletError(error.code, `Line ${line}: ${error.message}`, error.param)
}
