import { InletError } from '../../errors.js'

/** Largest header of the upstream's answer, in bytes. */
export const MAX_UPSTREAM_HEADER_BYTES = 65_536

/** 413: with rows in place of its text the body is larger than what may go on to the upstream. */
export function upstreamBodyTooLarge(limit: number, given: number): InletError {
  const rule = `The body for the model server must be at most ${limit} bytes (MAX_UPSTREAM_BODY_BYTES)`
  return new InletError('body_too_large', `${rule}. With rows in place of text it would be ${given}.`)
}

/** 502: the upstream sent no answer that could be passed on. */
export function upstreamFailed(why: string): InletError {
  return new InletError('upstream_failed', `The upstream gave no answer: ${why}.`)
}

/** 504: the upstream sends nothing, or cannot be reached in time. */
export function upstreamTimeout(what: string, seconds: number): InletError {
  return new InletError('upstream_timeout', `The upstream ${what} for ${seconds} s.`)
}

/** Converts Node's error to one that the caller may see: its code, no address. */
export function asUpstreamError(error: unknown): Error {
  if (error instanceof InletError) return error
  const { code, message } = error as NodeJS.ErrnoException
  return upstreamFailed(REASONS[code ?? ''] ?? code ?? message)
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: 'it broke the connection off',
  EPIPE: 'it broke the connection off',
  ENOTFOUND: 'its host is unknown',
  EAI_AGAIN: 'its host is unknown',
  HPE_HEADER_OVERFLOW: `the header of its answer is over ${MAX_UPSTREAM_HEADER_BYTES} bytes`,
}
