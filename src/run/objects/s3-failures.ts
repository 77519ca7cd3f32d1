import type { Failure } from './retries.js'

/** A body that ended before its length, or was not there at all. */
export class ShortBody extends Error {}

/** An object that is not as it was said to be. */
export class OtherObject extends Error {}

/** Answers with these codes may be others in a moment, whatever their status. */
const PASSING = new Set([
  'SlowDown',
  'RequestTimeout',
  'OperationAborted',
  'Throttling',
  'ThrottlingException',
])

/** Errors before a request goes out: none of them goes away by itself. */
const OWN = new Set(['CredentialsProviderError', 'TokenProviderError'])

/** The status of an error's answer; undefined: there was none, or it could not be read. */
function statusOf(error: unknown): number | undefined {
  return (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata?.httpStatusCode
}

export function isStatus(error: unknown, status: number): boolean {
  return statusOf(error) === status
}

/** Reads an error of a request to S3; undefined: it is of another kind, and not told in a word. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof OtherObject) return undefined
  if (error instanceof ShortBody) return { word: 'a body cut off', isPassing: true }
  const status = statusOf(error)
  const { name = '', code = '' } = error as { readonly name?: unknown; readonly code?: unknown }
  const word = [name, code].find((text) => /^[A-Z]\w{2,60}$/.test(String(text)) && text !== 'Error')
  const isPassing =
    !OWN.has(String(name)) &&
    (status === undefined ||
      status === 429 ||
      status === 408 ||
      (status >= 500 && status !== 501) ||
      PASSING.has(String(name)))
  if (name === 'AbortError' || name === 'TimeoutError') return { word: 'no answer in time', isPassing: true }
  return {
    word: [status, word ?? (status === undefined ? 'no answer' : undefined)]
      .filter((part) => part !== undefined)
      .join(' '),
    isPassing,
  }
}
