/** What went wrong between this process and the Hub: one line for the user. */
export class HubError extends Error {
  override readonly name: string = 'HubError'
}

/** A repository does not have this file. */
export class MissingFileError extends HubError {
  override readonly name = 'MissingFileError'
}

/** A failure that may pass: the request is worth another attempt. */
export class PassingError extends HubError {
  override readonly name = 'PassingError'

  constructor(
    message: string,
    /** Seconds that the server asks to wait. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message)
  }
}
