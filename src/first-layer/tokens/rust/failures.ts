import { InletError } from '../../errors.js'
import type { Failure } from './messages.js'

/** The process has ended during a job. */
export class ProcessEnded extends Error {}

/** A job cannot begin soon enough. */
export class NoRoom extends Error {
  constructor(
    readonly waitMs: number,
    readonly late: boolean,
  ) {
    super(`the tokenizer has no room for ${waitMs} ms`)
  }
}

/** Longer messages of the library are cut: some quote the text. */
const MOST_CHARACTERS = 300

/** `model_failed`: the library cannot use a tokenizer.json. */
export function refusedFile(reason: string): InletError {
  return new InletError('model_failed', `tokenizer.json cannot be used: ${cut(reason)}`)
}

/** `tokenizer_unavailable`: the library has given this text or these ids up. */
export function notEncoded(reason: string): InletError {
  return new InletError(
    'tokenizer_unavailable',
    `The model’s tokenizer cannot do this: ${cut(reason)}`,
    'model',
  )
}

/** An error as a message to another thread. */
export function failureOf(error: Error): Failure {
  if (error instanceof NoRoom) return { waitMs: error.waitMs, late: error.late }
  const { code, message } = error instanceof InletError ? error : notEncoded(error.message)
  return { code, message }
}

function cut(reason: string): string {
  return reason.slice(0, MOST_CHARACTERS).toWellFormed()
}
