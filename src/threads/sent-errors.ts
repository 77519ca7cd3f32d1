import { InletError } from '../errors.js'
import type { SentError } from './messages.js'

/** An error in a form that can be posted. An error that is no `InletError` has the code `internal`. */
export function sent(error: unknown): SentError {
  if (!(error instanceof InletError)) {
    return { code: 'internal', message: (error as Error).message, param: null, headers: {} }
  }
  const { code, message, param, headers } = error
  return { code, message, param, headers }
}

export function received({ code, message, param, headers }: SentError): Error {
  return code === 'internal' ? new Error(message) : new InletError(code, message, param, headers)
}
