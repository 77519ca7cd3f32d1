import { InletError } from './error-table.js'

/** A text or another body is larger than the service takes. */
export function bodyTooLarge(limit: number, given: string | number = 'more'): InletError {
  return new InletError('body_too_large', `The body must be at most ${limit} bytes. Given: ${given}`)
}

/** @param size in words: `1000 bytes`, `at least 1000 bytes` */
export function responseTooLarge(contentType: string, limit: number, size: string): InletError {
  const [mediaType] = contentType.split(';', 1)
  const message = `The answer as ${mediaType} must be at most ${limit} bytes. It would be ${size}.`
  return new InletError('response_too_large', message)
}
