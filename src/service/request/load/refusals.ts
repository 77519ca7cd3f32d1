import { HeaderedError, type InletError } from '../../answer/error-table.js'

/** 503 `overloaded`. */
export function overloaded(message: string, headers: Readonly<Record<string, string>> = {}): InletError {
  return new HeaderedError('overloaded', `${message} Try again in 1 s.`, null, {
    'retry-after': '1',
    ...headers,
  })
}

/** 504 `deadline_exceeded` with the limit. It closes the connection: the rest of a body may never come. */
export function deadlineExceeded(limit: string): InletError {
  const message = `The answer must begin within ${limit}.`
  return new HeaderedError('deadline_exceeded', message, null, { connection: 'close' })
}

/** 503 of `/health/ready`. */
export function stopping(): InletError {
  return new HeaderedError('stopping', 'The service stops.', null, { 'retry-after': '1' })
}
