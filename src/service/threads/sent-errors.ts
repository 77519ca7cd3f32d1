import { type ErrorCode, HeaderedError, headersOf, InletError } from '../answer/error-table.js'

/** An error for the caller, on its way to the thread that answers it. */
export interface SentError {
  readonly code: ErrorCode
  readonly message: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
}

/** An error in a form that can be posted. One that is no `InletError` gets the code `internal`. */
export function sent(error: unknown): SentError {
  if (!(error instanceof InletError)) {
    return { code: 'internal', message: (error as Error).message, param: null, headers: {} }
  }
  const { code, message, param } = error
  return { code, message, param, headers: headersOf(error) }
}

export function received({ code, message, param, headers }: SentError): Error {
  return code === 'internal' ? new Error(message) : new HeaderedError(code, message, param, headers)
}
