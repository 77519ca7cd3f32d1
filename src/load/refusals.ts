import { HeaderedError, type InletError } from '../errors.js'

const MAX_RETRY_SECONDS = 60

/**
 * 503 `overloaded`.
 *
 * @param waitMs the expected wait in milliseconds; `Retry-After` is at least one second
 */
export function overloaded(message: string, waitMs = 0): InletError {
  const seconds = Math.min(MAX_RETRY_SECONDS, Math.max(1, Math.ceil(waitMs / 1000)))
  return new HeaderedError('overloaded', `${message} Try again in ${seconds} s.`, null, {
    'retry-after': String(seconds),
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
