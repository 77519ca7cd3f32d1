import { type ErrorCode, InletError } from '../../errors.js'

/** Codes of errors that a line itself causes; all others are the service’s or the sink’s. */
const OF_A_LINE: ReadonlySet<ErrorCode> = new Set([
  'invalid_json',
  'invalid_request',
  'invalid_unicode',
  'body_too_large',
  'token_out_of_range',
  'tokenizer_unavailable',
])

/** What messages about JSON as a whole begin with. */
const BODY = 'The body'

/** The error with the number of the line that causes it: "Line 3: `text` must be a string. Given: 4". */
export function atLine(error: unknown, line: number): unknown {
  if (!(error instanceof InletError) || !OF_A_LINE.has(error.code)) return error
  const { code, message, param } = error
  const named = message.startsWith(BODY) ? message.slice(BODY.length) : `: ${message}`
  return new InletError(code, `Line ${line}${named}`, param)
}
