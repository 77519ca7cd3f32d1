/** Seconds for which nothing is asked of a storage that is away. */
export const AWAY_SECONDS = 2

/** A bucket cannot be read or written now. */
export class StorageError extends Error {
  /**
   * @param isRefused the storage answers, and will answer so again: no such bucket, no right to it
   * @param cause what it said, in a word
   */
  constructor(isRefused: boolean, cause: string) {
    const fact = isRefused ? 'refuses what it is asked' : 'does not answer as it should'
    super(`The object storage ${fact} (${cause}).`)
  }
}
