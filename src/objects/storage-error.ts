import { HeaderedError } from '../errors.js'

/** Seconds after which a caller may try again, and for which nothing is asked of a storage that is away. */
export const AWAY_SECONDS = 2

/** 503 where a bucket cannot be read or written now. */
export class StorageError extends HeaderedError {
  /**
   * @param isRefused the storage answers, and will answer so again: no such bucket, no right to it
   * @param cause what it said, in a word
   */
  constructor(
    readonly isRefused: boolean,
    cause: string,
  ) {
    const fact = isRefused ? 'refuses what it is asked' : 'does not answer as it should'
    const message = `The object storage ${fact} (${cause}). Try again in ${AWAY_SECONDS} s.`
    super('storage_unavailable', message, null, { 'retry-after': String(AWAY_SECONDS) })
  }
}
